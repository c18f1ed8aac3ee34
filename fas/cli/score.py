"""`fas score`, `claims`, `verify`, `explain` and `citations`: answers in, verdicts and scores out."""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.cli.options import NOTHING_SCORED, Options, build_profile, open_answers, print_note, print_result, require_out
from fas.cli.progress import ProgressBar
from fas.core.checks import count_of

if TYPE_CHECKING:
    from fas.api import Workers
    from fas.pipeline.runs.controls import Make


def score(o: Options) -> Any:
    profile = build_profile(o)
    if o.dry_run:
        from fas.pipeline.runs.dry_run import estimate_run

        return estimate_run(open_answers(o), profile, **o.pick("offline", "claims_per_sentence"))
    require_out(o)
    from fas.api import score_file
    from fas.core.files.own import check_outside
    from fas.llm.parts import LOST
    from fas.pipeline.runs.tally import EARLIER
    from fas.report.text import render_table, say_result
    from fas.scoring.limits import check_names, failures

    under, over = o.fail_under or {}, o.fail_over or {}
    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        check_names([*under, *over], k=profile.k, safety=profile.safety)
        check_outside(o.answers, o.out)
        report = score_file(
            open_answers(o),
            o.out,
            profile=profile,
            by=o.by,
            started=bar.start,
            progress=bar.update,
            workers=_choose_workers(o),
            controls=_choose_controls(o.controls, profile.verify.name),
            **o.pick("on_error", "overwrite", "offline", "save_evidence", "shard"),
        )
    if o.parquet:
        from fas.pipeline.runs.tables import write_tables

        write_tables(o.out, profile.k)
    if o.json:
        print_result(report, o)
    else:
        print(f"{render_table(report)}\n\n{say_result(report)}\nreport: {o.out / 'report.html'}")
        print(f"next: open it; `fas explain {o.out} ID` says why of one answer, `fas results compare` compares runs")
    lost = [note for note in report.notes if LOST in note and not note.startswith(EARLIER)]
    for note in [*lost, *[NOTHING_SCORED] * report.nothing_scored]:
        print_note(note)
    if report.nothing_scored or lost or (o.strict and report.n_failed):
        return 1
    broken = failures(report, fail_under=under, fail_over=over, by=o.fail_by) if under or over else []
    for one in broken:
        print_note(str(one))
    return 3 if broken else 0


def _choose_controls(wanted: bool | None, verifier: str) -> Make | None:
    """What makes the run's controls; by default they are not judged by language models."""
    from fas.bench.controls import make_panel
    from fas.core.parts import verifiers
    from fas.llm.parts import uses_language_model

    return make_panel if wanted or (wanted is None and not uses_language_model(verifiers, verifier)) else None


def _choose_workers(o: Options) -> Workers | None:
    if o.engine == "processes":
        from fas.pipeline.runs.processes import Processes

        return partial(Processes, jobs=o.jobs)
    if o.jobs not in (None, 1):
        raise ValueError("--jobs is for --engine processes")
    return None


def claims(o: Options) -> None:
    from fas.pipeline.claim_list import ClaimLister

    n_claims = n_without = 0
    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        lister = ClaimLister(open_answers(o), build_profile(o), on_error=o.on_error, quality=o.quality)
        bar.start(lister.scan, 0)
        for one in bar.follow(lister):
            read = sum(claim.failure is None for claim in one.claims)
            n_claims, n_without = n_claims + read, n_without + (not read)
            if o.json:
                print(json.dumps(one.as_dict(), ensure_ascii=False))
            elif one.error is None:
                print(one.as_text())
            for problem in () if o.json else one.problems():
                print_note(problem)
    if o.quality:
        print(lister.quality_text(), file=sys.stderr if o.json else sys.stdout)
    if not o.json:
        without = f"; {count_of(n_without, 'answer')} without one" if n_without else ""
        print(f"\n{count_of(n_claims, 'claim')} in {count_of(lister.scan.n, 'answer')}{without}")
        print(f"next: `fas score {o.answers} -o out/` verifies them")
    for note in lister.notes():
        print_note(note)


def verify(o: Options) -> Any:
    from fas.pipeline.runs.explaining import verify_claim

    profile, passages = build_profile(o), [_read_passage(given) for given in o.passage]
    with ProgressBar.of(o, "verifying the claim"):
        return verify_claim(o.claim, passages, profile=profile, question=o.question)


def _read_passage(given: str) -> str:
    try:
        if not Path(given).is_file():
            return given
    except (OSError, ValueError):  # too long for a file's name, or with characters that no name has
        return given
    try:
        return Path(given).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{given}: not UTF-8 ({error})") from error


def explain(o: Options) -> Any:
    from fas.pipeline.runs.explaining import explain_run

    with ProgressBar.of(o, f"reading {o.folder}"):
        kept = o.pick("evidence", "claim", "answers", "offline")
        found = explain_run(o.folder, o.answer, build_profile(o), **kept)
    if o.json:
        return [one.as_dict() for one in found]
    print("\n\n---\n\n".join(one.as_text() for one in found) or "no claims")
    return 0


def citations(o: Options) -> None:
    from fas.core.answers.files import read_answers, scan_tolerantly
    from fas.core.records import Answer
    from fas.detectors.citations.report import RECORDS, check_citations, citations_in_words, write_citations

    profile = build_profile(o)
    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        source = open_answers(o)
        bar.start(scan_tolerantly(source, "stop"), 0)
        answers = [one for one in read_answers(source) if isinstance(one, Answer)]
        report = check_citations(answers, profile, offline=o.offline, progress=bar.update)
    if o.out is not None:
        write_citations(report, o.out)
    print_result(report, o)
    if not o.json:
        where = f"citations: {o.out / RECORDS}" if o.out else "next: -o DIR writes each citation with its verdicts"
        print(f"\n{citations_in_words(report)}\n{where}")

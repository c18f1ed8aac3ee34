"""`fas score`: answers in, scores and a report out."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING

from fas.cli import options as shared
from fas.cli.base import command, option, section
from fas.cli.progress import ProgressBar

if TYPE_CHECKING:
    from fas.api import Workers
    from fas.pipeline.runs.controls import Make
    from fas.pipeline.runs.shards import Shard


def _shard(text: str) -> Shard:
    from fas.pipeline.runs.shards import Shard

    return Shard.parse(text)


def _limits(text: str) -> dict[str, float]:
    from fas.scoring.limits import parse_limits

    return parse_limits(text)


@command(
    "fas score examples/answers.jsonl -o out/ --by type",
    shared.answers,
    shared.out("folder of the results; required without --dry-run"),
    shared.by,
    shared.on_error,
    shared.strict,
    option("--fail-under NAME=X", "exit 3 if a value is below its limit: fas=0.6,support=0.5", {}, read=_limits),
    option("--fail-over NAME=X", "exit 3 if a value is above its limit: contra=0.1,flags=0", {}, read=_limits),
    option("--fail-by bound|mean", "compare limits with the worse end of the 95% interval, or with the mean", "bound"),
    shared.overwrite,
    shared.offline,
    option(
        "--controls/--no-controls", "judge about 60 claims of known verdict (not by language models, from 20 answers)"
    ),
    shared.dry_run,
    option("--claims-per-sentence X", "with --dry-run: how many claims to assume"),
    option("--save-evidence FILE", "save the passages of every claim"),
    shared.as_json("print report.json instead of the table"),
    shared.progress,
    section(
        "engine (docs/how-to/scale.md)",
        option("--engine single|processes|ray", "one process, several processes, or Ray actors", "single"),
        option("-j --jobs N", "processes or actors (one a processor)"),
        option("--address ADDRESS", "Ray cluster: auto or HOST:PORT (start one here)"),
        option("--cpus X", "processors of a Ray actor, also fractions (1)"),
        option("--gpus X", "GPUs of a Ray actor (1 if there are any)"),
        option("--parquet", "also write the records as DIR/parquet/part-*.parquet"),
        option("--shard I/N", "only the I-th of N parts; fas results merge joins them", read=_shard),
    ),
    shared.profile,
)
def score(o: SimpleNamespace) -> int:
    """Score answers against evidence and references.

    Answers are in English. After an interruption the same command resumes.
    """
    if o.dry_run:
        from fas.pipeline.runs.dry_run import estimate_run

        found = shared.pick(o, "offline", "claims_per_sentence")
        shared.print_result(estimate_run(shared.open_answers(o), o.profile, **found), o)
        return 0
    shared.require_out(o)
    from fas.api import score_file
    from fas.core.files.own import check_outside
    from fas.llm.parts import LOST
    from fas.pipeline.runs.tally import EARLIER
    from fas.report.text import render_table, result_in_words
    from fas.scoring.limits import check_names, failures

    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        check_names([*o.fail_under, *o.fail_over], k=o.profile.k, safety=o.profile.safety)
        check_outside(o.answers, o.out)
        report = score_file(
            shared.open_answers(o),
            o.out,
            by=list(o.by),
            started=bar.start,
            progress=bar.update,
            workers=_workers(o),
            controls=_controls(o),
            **shared.pick(o, "profile", "on_error", "overwrite", "offline", "save_evidence", "shard"),
        )
    if o.parquet or o.engine == "ray":
        from fas.pipeline.runs.tables import write_tables

        write_tables(o.out, o.profile.k)
    if o.json:
        shared.print_json(report.as_dict())
    else:
        print(f"{render_table(report)}\n\n{result_in_words(report)}\nreport: {o.out / 'report.html'}")
        print(f"next: open it; `fas explain {o.out} ID` says why of one answer, `fas results compare` compares runs")
    lost = [note for note in report.notes if LOST in note and not note.startswith(EARLIER)]
    for note in lost:
        shared.print_note(note)
    if report.nothing_scored:
        shared.print_note(shared.NOTHING_SCORED)
        return 1
    if lost or (o.strict and report.n_failed):
        return 1
    if not (o.fail_under or o.fail_over):
        return 0
    broken = failures(report, fail_under=o.fail_under, fail_over=o.fail_over, by=o.fail_by)
    for one in broken:
        shared.print_note(str(one))
    return 3 if broken else 0


def _controls(o: SimpleNamespace) -> Make | None:
    """What makes the run's controls, unless they are not wanted."""
    from fas.bench.controls import make_panel
    from fas.core.parts import verifiers
    from fas.llm.parts import uses_language_model

    wanted = o.controls
    if wanted is None:
        wanted = not uses_language_model(verifiers, o.profile.verify.name)
    return make_panel if wanted else None


def _workers(o: SimpleNamespace) -> Workers | None:
    """Who works, by the options of the engine."""
    own = {name: value for name, value in shared.pick(o, "address", "cpus", "gpus").items() if value is not None}
    if own and o.engine != "ray":
        raise ValueError(f"--{next(iter(own))} is for --engine ray")
    if o.engine == "ray":
        try:
            from fas.integrations.ray import Actors
        except ModuleNotFoundError as error:
            raise ValueError(
                f"--engine ray needs the extra ray: pip install 'fact-aligned-score[ray]' ({error})"
            ) from error
        return partial(Actors, jobs=o.jobs, **own)
    if o.engine == "processes":
        from fas.pipeline.runs.processes import Processes

        return partial(Processes, jobs=o.jobs)
    if o.jobs not in (None, 1):
        raise ValueError("--jobs is for --engine processes and --engine ray")
    return None

"""The citations of a file of answers: records, a report with intervals, and a table."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import write_json
from fas.core.loading import track_loading
from fas.core.profile import Profile
from fas.core.records import Answer, Case, MetricSummary, Verdict
from fas.core.records.cited import Library
from fas.detectors.citations.checking import MEASURES, CheckedAnswer, check
from fas.detectors.citations.parsing import VERSION, ParsedCitations, parse_citations
from fas.pipeline import CHUNK, Pipeline, make_error, refine_claims, split_into_chunks
from fas.pipeline.chosen import limit_claims_time
from fas.report.tables import AsText, interval, json_ready, number, share_text, text_table, wrap_paragraph
from fas.scoring.aggregate import question_key
from fas.scoring.verdicts.isolation import isolate_errors
from fas.scoring.verdicts.judge import judge
from fas.stats.bootstrap import mean_intervals

RECORDS, REPORT = "citations.jsonl", "citations.json"


_PLURAL = re.compile(r"(?:(?<=answer)|(?<=citation)|(?<=claim))s\b")


@dataclass(frozen=True, slots=True)
class CitationReport(AsText):
    """The check of the citations of some answers.

    Attributes:
        signature: Claims, evidence and verifier that pin the numbers.
        counts: Citations, sources by state, claims with citations, and so on.
        metrics: Measure to mean and interval over answers; see `fas.detectors.citations.checking.measures`.
        notes: What a reader must know.
    """

    signature: str
    n: int
    n_failed: int
    counts: Mapping[str, int]
    metrics: Mapping[str, MetricSummary]
    notes: tuple[str, ...]
    answers: tuple[CheckedAnswer, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        return {
            "signature": self.signature,
            "n": self.n,
            "n_failed": self.n_failed,
            "counts": dict(self.counts),
            "metrics": json_ready(self.metrics),
            "notes": list(self.notes),
        }

    def as_text(self) -> str:
        """A table for people."""
        rows = [[name, number(one.mean), interval(one.low, one.high), str(one.n)] for name, one in self.metrics.items()]
        blocks = [
            ", ".join(_format_count(n, name) for name, n in {"answers": self.n, **self.counts}.items()),
            text_table(["measure", "mean", "95% interval", "answers"], rows),
            "\n".join(wrap_paragraph(note, bullet="! ") for note in self.notes),
            self.signature,
        ]
        return "\n\n".join(block for block in blocks if block)


def _format_count(n: int, name: str) -> str:
    """A count with its name.

    >>> _format_count(1, "claims with citations"), _format_count(2, "answers"), _format_count(1, "missing")
    ('1 claim with citations', '2 answers', '1 missing')
    """
    return f"{n} {_PLURAL.sub('', name, count=1) if n == 1 else name}"


def citations_in_words(report: CitationReport) -> str:
    """The result in a sentence: how many cited sources exist, and what share of claims the citations support.

    >>> from types import SimpleNamespace as Some
    >>> recall = MetricSummary(0.5, 0.25, 0.75, 4)
    >>> counts = {"citations": 9, "found": 7, "missing": 1, "unchecked": 1}
    >>> print(citations_in_words(Some(counts=counts, metrics={"citation_recall": recall})))
    7 of the 8 cited sources that could be checked exist; citations support 50.0% [25.0%, 75.0%] of an answer's claims.
    """
    n, recall = report.counts, report.metrics["citation_recall"]
    if not n["citations"]:
        return "The answers cite nothing."
    checked = n["found"] + n["missing"]
    exist = f"{n['found']} of the {checked} cited sources that could be checked exist"
    support = "" if math.isnan(recall.mean) else f"; citations support {share_text(recall)} of an answer's claims"
    return f"{exist if checked else 'No cited source could be checked'}{support}."


def check_citations(
    answers: Iterable[Answer], profile: Profile, *, offline: bool = False, progress: Callable[[int], None] | None = None
) -> CitationReport:
    """Check the citations of *answers*.

    Claims are those of the profile's extractor (or given with the answers), the judge is its verifier. Sources are
    looked up in the passages of each answer and, where the evidence is an index or PubMed, there.

    *progress*: called after each chunk with the number of answers just done.

    Raises:
        ValueError: There are no answers, or no evidence is to be had.
    """
    every = list(answers)
    if not every:
        raise InputError("no answers whose citations could be checked", kind="empty_input")
    pipeline = Pipeline(
        profile,
        has_passages=any(answer.passages is not None for answer in every),
        has_claims=any(answer.claims is not None for answer in every),
        offline=offline,
    )
    try:
        checked: list[CheckedAnswer] = []
        for chunk in split_into_chunks(every, CHUNK):
            checked += _check_answers(pipeline, chunk)
            if progress is not None:
                progress(len(chunk))
        settings = pipeline.settings()
        parts = [f"{name}:{settings[name]}" for name in ("claims", "evidence", "verify")]
        signature = "|".join((f"n:{len(every)}", f"citations:{VERSION}", *parts))
        notes = [note for part in (pipeline.extractor, pipeline.retriever, pipeline.verifier)
                 for note in getattr(part, "notes", list)()]  # fmt: skip
        return _report(checked, signature, profile, [*notes, *pipeline.models.notes()])
    finally:
        pipeline.close()


def write_citations(report: CitationReport, folder: Path) -> None:
    """Write `citations.jsonl` and `citations.json` into *folder*.

    Raises:
        InputError: It cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lines = (json.dumps(one.as_dict(), ensure_ascii=False, allow_nan=False) + "\n" for one in report.answers)
        (folder / RECORDS).write_text("".join(lines), encoding="utf-8")
        write_json(folder / REPORT, report.as_dict())
    except OSError as error:
        raise InputError(f"{folder}: cannot be written: {error.strerror or error}", kind="unwritable") from error


def _check_answers(pipeline: Pipeline, answers: Sequence[Answer]) -> Iterator[CheckedAnswer]:
    limit = pipeline.profile.text_timeout
    parsed = dict(zip((a.id for a in answers), isolate_errors(_parse_answers, answers, seconds=limit), strict=True))
    sound = [answer for answer in answers if not isinstance(parsed[answer.id], Exception)]
    todo = [answer for answer in sound if answer.claims is None]
    given = [answer for answer in sound if answer.claims is not None]
    seconds = limit_claims_time(pipeline.extractor, pipeline.profile)
    with track_loading("finding claims"):
        extracted = isolate_errors(pipeline.extractor.extract, todo, seconds=seconds)
    found: dict[str, Any] = {id_: one for id_, one in parsed.items() if isinstance(one, Exception)}
    found |= dict(zip((a.id for a in todo), extracted, strict=True))
    found |= dict(zip((a.id for a in given), refine_claims(pipeline.extractor, given), strict=True))

    def judged(cases: Sequence[Case]) -> Sequence[Verdict]:
        threshold = pipeline.profile.threshold
        return judge(pipeline.verifier, cases, [None] * len(cases), threshold=threshold, evidence_less=False).verdicts

    library = pipeline.retriever if isinstance(pipeline.retriever, Library) else None

    def one_by_one(several: Sequence[Answer]) -> Sequence[CheckedAnswer]:
        claims = [[] if isinstance(found[a.id], Exception) else found[a.id] for a in several]
        marks = [parsed[a.id] for a in several]
        return check(several, claims, judge=judged, library=library, search=pipeline.retriever.retrieve, parsed=marks)  # type: ignore[arg-type]

    usable = [answer for answer in answers if not isinstance(found[answer.id], Exception)]
    with track_loading("looking up sources and judging claims"):
        outcomes = found | dict(zip((a.id for a in usable), isolate_errors(one_by_one, usable), strict=True))
    for answer in answers:
        outcome = outcomes[answer.id]
        if isinstance(outcome, Exception):
            yield CheckedAnswer(
                answer, error=make_error(answer, outcome, "prediction"), measures=dict.fromkeys(MEASURES, math.nan)
            )
        else:
            yield outcome


def _parse_answers(answers: Sequence[Answer]) -> list[ParsedCitations]:
    return [parse_citations(answer.prediction) for answer in answers]


def _report(checked: Sequence[CheckedAnswer], signature: str, profile: Profile, notes: list[str]) -> CitationReport:
    sound = [one for one in checked if one.error is None]
    states = Counter(source.state for one in sound for source in one.sources)
    found = [source.passage for one in sound for source in one.sources if source.passage is not None]
    claims = [claim for one in sound for claim in one.claims]
    counts = {
        "citations": states.total(),
        "found": states["found"],
        "missing": states["missing"],
        "unchecked": states["unchecked"],
        "retracted or under concern": sum(p.status in ("retracted", "concern") for p in found),
        "claims": len(claims),
        "claims with citations": sum(bool(claim.places) for claim in claims),
        "misattributed claims": sum(claim.elsewhere is not None for claim in claims),
    }
    reasons = Counter(s.reason for one in sound for s in one.sources if s.state == "unchecked" and s.reason)
    notes += [f"{n} citations could not be checked: {reason}" for reason, n in reasons.most_common()]
    if len(sound) < len(checked):
        notes.append(f"{len(checked) - len(sound)} of {len(checked)} answers failed and are in no share")
    keys = [
        question_key({"question": one.answer.question, "meta": one.answer.meta}) or f"id\0{one.answer.id}"
        for one in checked
    ]
    metrics = mean_intervals(
        {name: [one.measures[name] for one in checked] for name in MEASURES},
        n_resamples=profile.n_resamples,
        seed=profile.seed,
        clusters=keys,
    )
    return CitationReport(
        signature, len(checked), len(checked) - len(sound), counts, metrics, tuple(notes), tuple(checked)
    )

"""Tables of factuality scores: one run, or two runs and the judgements that changed between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

from fas.core.checks import count_of, whole_number
from fas.core.errors import InputError
from fas.core.profile import Profile
from fas.core.records import Counts, MetricSummary
from fas.report.facts import FactsOfRun, align_claims, align_three, make_core_filter, read_facts
from fas.report.labelled import Irrelevant
from fas.report.tables import (
    AsText,
    json_ready,
    limits,
    means_table,
    number,
    p_value,
    signed,
    text_table,
    wrap_paragraph,
)
from fas.scoring.aggregate import question_key
from fas.scoring.factuality import (
    GAMMA,
    Difference,
    Ratios,
    change_table,
    columns_of,
    differences,
    median_claims,
    pattern_table,
    ratios,
    summaries,
)
from fas.scoring.spread import spread
from fas.scoring.verdicts.entailment import StatementEntailment


@dataclass(frozen=True, slots=True)
class ScoresOfRun:
    """The scores of one run.

    Attributes:
        n_failed: Error records.
        n_unverified: Claims without a verdict; they are in no share.
        n_unread: Sentences that could not be taken apart.
        metrics: Name to mean and interval.
        groups: Value of the field to group by, to the same, with the same K.
        n_unjudged: Claims that the entailment could not judge.
        n_questions: Distinct questions of the answers; an answer without one counts as one.
        filter: Signature of the filter that chose among the claims, or None.
        spread: Name to standard deviation, extremes and quartiles of the answers' own values (`fas.scoring.spread`);
            of a ratio of sums, of each answer's own ratio.
    """

    path: Path
    n: int
    n_failed: int
    n_claims: int
    n_unverified: int
    n_unread: int
    metrics: Mapping[str, MetricSummary]
    groups: Mapping[str, Mapping[str, MetricSummary]]
    n_unjudged: int = 0
    n_questions: int = 0
    filter: str | None = None
    spread: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The run as tables call it."""
        return str(self.path) if self.filter is None else f"{self.path}, only the claims that {self.filter} keeps"


# In the order in which `as_dict` has them.
_RUN_FIELDS = (
    "path filter n n_questions n_failed n_claims n_unverified n_unread n_unjudged metrics groups spread"
).split()
_FIELDS = ("k gamma level entailment runs differences changes patterns n_common n_aligned n_unaligned").split()


@dataclass(frozen=True, slots=True)
class FactualityReport(AsText):
    """Scores of one or two runs.

    Attributes:
        runs: One or two.
        k: K of recall@K and F1@K.
        entailment: What compared claims with sentences, or None.
        differences: First run minus second, over the answers of both; empty for one run.
        patterns: Shares of the patterns of three judgements; empty but for three runs.
        changes: Shares of changed judgements; empty for one run or without a claim that both judged.
        n_aligned: Claims that both runs judged.
        n_unaligned: Claims of the common answers with no equal claim in the other run, or unverified.
    """

    runs: tuple[ScoresOfRun, ...]
    k: int
    gamma: float
    level: float
    entailment: str | None = None
    differences: Mapping[str, Difference] = field(default_factory=dict)
    changes: Mapping[str, MetricSummary] = field(default_factory=dict)
    patterns: Mapping[str, MetricSummary] = field(default_factory=dict)
    n_common: int = 0
    n_aligned: int = 0
    n_unaligned: int = 0

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        plain: dict[str, Any] = json_ready(self)
        runs = [{name: run[name] for name in _RUN_FIELDS} for run in plain["runs"]]
        return {**{name: plain[name] for name in _FIELDS}, "runs": runs, "notes": self.notes()}

    def as_text(self) -> str:
        """Tables for people."""
        blocks = []
        if len(self.runs) == 1:
            run = self.runs[0]
            blocks.append(f"{run.title}\n\n{_format_means(run.metrics, self.level, run.spread)}")
            blocks += [f"{value}\n\n{_format_means(metrics, self.level)}" for value, metrics in run.groups.items()]
        else:
            blocks.append("\n".join(f"{letter}: {run.title}" for letter, run in zip("ABC", self.runs, strict=False)))
            if len(self.runs) == 2:
                blocks.append(_format_differences(self.differences, self.level))
            else:
                blocks += [
                    f"{letter}\n\n{_format_means(run.metrics, self.level, run.spread)}"
                    for letter, run in zip("ABC", self.runs, strict=True)
                ]
            if self.patterns:
                title = (
                    f"patterns of {self.n_aligned} claims that all three judged: A, B, C, each true (T) or false (F)"
                )
                blocks.append(f"{title}\n\n{_format_means(self.patterns, self.level)}")
            if self.changes:
                title = f"judgements of {self.n_aligned} claims that both runs judged, from A to B"
                blocks.append(f"{title}\n\n{_format_means(self.changes, self.level)}")
        notes = [wrap_paragraph(note, bullet="! ") for note in self.notes()]
        return "\n\n".join([*blocks, *(["\n".join(notes)] if notes else [])])

    def notes(self) -> list[str]:
        """What a reader must know besides the numbers."""
        notes = []
        for letter, run in zip("ABC", self.runs, strict=False):
            where = f" of {letter}" if len(self.runs) > 1 else ""
            if run.n_questions < run.n:
                notes.append(f"{run.n} answers{where} share {run.n_questions} questions; intervals resample questions")
            if run.n_failed:
                notes.append(f"{count_of(run.n_failed, 'answer')}{where} ended in an error record, in no score")
            if run.n_unverified:
                notes.append(f"{run.n_unverified} of {run.n_claims} claims{where} are unverified and in no share")
            if run.n_unread:
                lost = count_of(run.n_unread, "sentence")
                notes.append(f"{lost}{where} could not be decomposed; answers with one count only in shares")
            if run.n_unjudged:
                notes.append(
                    f"{count_of(run.n_unjudged, 'claim')}{where} could not be compared with the text, left out"
                )
        if self.k < 1:
            notes.append("at least half of the answers have no claim: K is 0, and recall@K and F1@K have no value")
        if len(self.runs) == 2 and self.n_unaligned:
            alone = count_of(self.n_unaligned, "claim")
            notes.append(f"{alone} without an equal claim in the other run, or a verdict in both: in no change")
        return notes


def factuality_report(
    paths: Sequence[Path],
    *,
    gamma: float = GAMMA,
    k: int | None = None,
    by: str | None = None,
    entailment: str | Profile | None = None,
    entailment_threshold: float | None = None,
    verifiable: str | None = None,
    core: str | None = None,
    irrelevant: Irrelevant = "leave-out",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> FactualityReport:
    """The scores of one result folder, or of two and what changed between them.

    Answers to the same question are resampled together, as in `report.json`.

    Args:
        paths: One or two folders, or their `scores.jsonl`.
        gamma: Claims below which the length penalty sets in.
        k: K of recall@K and F1@K; the median number of claims over all answers by default, of both
            runs where there are two.
        by: Field of `meta` to group by; all groups have one K, so that their scores compare.
        entailment: Name or file of a profile whose verifier compares claims with their sentence.
        entailment_threshold: P(entailment) from which it counts; the profile's threshold by default.
        verifiable: Field of `meta` with the verifiable parts of an answer; needs *entailment*.
        core: `uniform` or `informativeness`: one folder is compared with itself behind the filter `core` of
            these weights (MedScore, table 2, with and without CORE). No claim is judged again.
        irrelevant: For files of labelled claims: what becomes of those that are irrelevant.
        n_resamples: Bootstrap draws.
        level: Confidence level.
        seed: Seed.

    Raises:
        InputError: A file cannot be used, or two runs have no answer in common.
        ValueError: An option is out of range.
    """
    if k is not None:
        whole_number("K", k)
    judge = None if entailment is None else StatementEntailment(entailment, threshold=entailment_threshold)
    if core is not None and len(paths) != 1:
        raise ValueError("`core` compares one run with itself behind the filter; give one folder")
    shared: dict[str, Any] = {"by": by, "entailment": judge, "verifiable": verifiable, "irrelevant": irrelevant}
    runs = [read_facts(path, **shared) for path in paths]
    if core is not None:
        runs.append(read_facts(paths[0], core=make_core_filter(core), **shared))
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    # K is over the answers of every run; those that could not be read are left out.
    every = [one for run in runs for one in run.counts.values() if not one.n_unread]
    at = k or median_claims([one.claims.n_claims for one in every])
    scored = tuple(_score_run(run, at, gamma, options) for run in runs)
    report = FactualityReport(scored, at, gamma, level, None if judge is None else judge.signature)
    if len(runs) == 1:
        return report
    if len(runs) == 3:
        return _add_patterns(report, runs, options)
    return _add_comparison(report, runs[0], runs[1], options)


def _score_run(run: FactsOfRun, at: int, gamma: float, options: Mapping[str, Any]) -> ScoresOfRun:
    ids = list(run.answers)

    def table(ids: Sequence[str]) -> dict[str, MetricSummary]:
        return summaries(_compute_ratios(run, ids, at, gamma), clusters=_list_clusters(run, ids), **options)

    every = run.counts.values()
    claims = reduce(Counts.plus, (one.claims for one in every), Counts())
    # MedScore's tables 2 and 9 give the standard deviation over sentences, not over answers' ratios.
    per_sentence = [float(n) for one in every if not one.n_unread for n in one.per_sentence]
    return ScoresOfRun(
        path=run.path,
        n=len(ids),
        n_failed=run.n_failed,
        n_claims=claims.n_claims,
        n_unverified=claims.n_unverified,
        n_unread=sum(one.n_unread for one in every),
        metrics=table(ids),
        groups={value: table(run.groups[value]) for value in sorted(run.groups)},
        n_unjudged=run.n_unjudged,
        n_questions=len(set(_list_clusters(run, ids))),
        filter=run.filter,
        spread=spread({**columns_of(_compute_ratios(run, ids, at, gamma)), "claims_per_sentence": per_sentence}),
    )


def _add_patterns(report: FactualityReport, runs: Sequence[FactsOfRun], options: Mapping[str, Any]) -> FactualityReport:
    common = [name for name in runs[0].answers if all(name in run.answers for run in runs[1:])]
    if not common:
        raise InputError(
            f"{', '.join(str(run.path) for run in runs)}: no answer in common; runs are joined on `id`",
            kind="nothing_in_common",
        )
    patterns = [align_three(*(run.answers[name] for run in runs)) for name in common]
    n_aligned = sum(map(len, patterns))
    table = pattern_table(patterns, clusters=_list_clusters(runs[0], common), **options) if n_aligned else {}
    return replace(report, patterns=table, n_common=len(common), n_aligned=n_aligned)


def _add_comparison(
    report: FactualityReport, a: FactsOfRun, b: FactsOfRun, options: Mapping[str, Any]
) -> FactualityReport:
    common = [name for name in a.answers if name in b.answers]
    if not common:
        raise InputError(
            f"{a.path} and {b.path}: no answer in common; runs are joined on `id`", kind="nothing_in_common"
        )
    clusters = _list_clusters(a, common)
    pairs = [align_claims(a.answers[name], b.answers[name]) for name in common]
    n_aligned = sum(len(changes) for changes, _ in pairs)
    sides = [_compute_ratios(run, common, report.k, report.gamma) for run in (a, b)]
    return replace(
        report,
        differences=differences(sides[0], sides[1], clusters=clusters, **options),
        changes=change_table([changes for changes, _ in pairs], clusters=clusters, **options) if n_aligned else {},
        n_common=len(common),
        n_aligned=n_aligned,
        n_unaligned=sum(unpaired for _, unpaired in pairs),
    )


def _compute_ratios(run: FactsOfRun, ids: Sequence[str], k: int, gamma: float) -> Ratios:
    return ratios([run.counts[name] for name in ids], k=k, gamma=gamma)


def _list_clusters(run: FactsOfRun, ids: Sequence[str]) -> list[str]:
    # The prefix keeps an id from meeting another answer's question.
    return [question_key(run.answers[name]) or f"id\0{name}" for name in ids]


def _format_means(
    metrics: Mapping[str, MetricSummary], level: float, spread: Mapping[str, Mapping[str, float]] | None = None
) -> str:
    sd = [] if spread is None else ["SD"]
    return means_table(["score", "mean", *sd, f"{100 * level:g}% interval", "answers"], metrics, spread)


def _format_differences(found: Mapping[str, Difference], level: float) -> str:
    rows = [
        [
            name,
            number(one.mean_a),
            number(one.mean_b),
            signed(one.difference),
            limits(one, "signed"),
            p_value(one.p),
            str(one.n),
        ]
        for name, one in found.items()
    ]
    return text_table(["score", "A", "B", "A - B", f"{100 * level:g}% interval", "p", "answers"], rows)

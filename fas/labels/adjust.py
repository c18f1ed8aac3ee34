"""What a run's figures are by few labels and all verdicts, beside what they were by verdicts alone."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fas.errors import InputError
from fas.files.own import replacing
from fas.labels.drawing import stratum_of
from fas.labels.files import BAD, COVERED, ClaimLabel, read_labels
from fas.labels.judged import JudgedRun, inclusion_of, matched, numbered, read_judged
from fas.profile import Weights
from fas.records import MetricSummary
from fas.records.signature import Signature
from fas.report.corrected import NAMES as CORRECTED
from fas.report.join import JoinRule, join, units_of
from fas.report.sampling import Sampling
from fas.report.tables import interval, json_ready, kinds_text, number, paragraph, signed, text_table
from fas.stats.bootstrap import mean_intervals
from fas.stats.paired import paired_differences
from fas.stats.prediction_powered import Adjusted, Side, adjusted_mean

OF_CLAIMS = "claims "
"""Begins the name of a share of all claims; the other figures are means over answers."""
_OF_STATEMENTS = {
    "coverage": ("supported", "must"),
    "omitted": ("unsupported", "must"),
    "denied": ("contradicted", "must"),
    "coverage_nice": ("supported", "nice"),
}
"""Figures that labels of statements correct: the verdict that counts, and the kind of statement."""


class Figure(NamedTuple):
    """A figure that labels can correct: the mean of what each verdict is worth.

    Attributes:
        name: As in the report; `claims support@5` is the share of all claims.
        worth: Verdict to value.
        share: Values are 0 or 1.
        by_claim: All claims count alike; otherwise all answers do.
        bertscore: Weight of BERTScore F1 in it, which no label changes.
        kind: Only statements of this kind (`must`, `nice`); empty for claims.
    """

    name: str
    worth: Mapping[str, float]
    share: bool
    by_claim: bool = False
    bertscore: float = 0.0
    kind: str = ""


@dataclass(frozen=True, slots=True)
class AdjustedFigure:
    """A figure twice.

    Attributes:
        raw: By the verdicts, as in the report.
        adjusted: By labels and verdicts.
        n: Answers (or claims) that it is over.
    """

    raw: MetricSummary
    adjusted: Adjusted
    n: int

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready but for NaN."""
        one = self.adjusted
        return {
            "raw": {"mean": self.raw.mean, "low": self.raw.low, "high": self.raw.high, "how": self.raw.how},
            "adjusted": {
                "mean": one.value,
                "low": one.low,
                "high": one.high,
                "how": one.how,
                "standard_error": one.standard_error,
                "tuning": list(one.tuning),
            },
            "labels_alone": {"mean": one.alone, "low": one.alone_low, "high": one.alone_high},
            "n": self.n,
            "n_labels": one.n_labels,
            "n_labelled_clusters": one.n_clusters,
        }


@dataclass(frozen=True, slots=True)
class AdjustedRun:
    """The figures of a run, or of the difference of two.

    Attributes:
        run: The run.
        against: The run that is taken from it, or None.
        figures: By name.
        sampling: What is a unit.
        signature: Of the run, with `labels`; None where the run has none.
        remarks: What a reader must know.
        pairs: The figures are shares of pairs of answers, not differences of the runs.
    """

    run: Path
    against: Path | None
    figures: Mapping[str, AdjustedFigure]
    sampling: Sampling
    signature: str | None
    remarks: tuple[str, ...]
    pairs: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        found: dict[str, Any] = json_ready(
            {
                "run": str(self.run),
                "against": None if self.against is None else str(self.against),
                "figures": {name: figure.as_dict() for name, figure in self.figures.items()},
                "signature": self.signature,
                "notes": list(self.remarks),
                **self.sampling.as_dict(),
            }
        )
        return found

    def as_text(self) -> str:
        """A table for people."""
        plain = self.against is None or self.pairs
        show = number if plain else signed
        form = "number" if plain else "signed"
        rows = [
            [
                name,
                show(figure.raw.mean),
                interval(figure.raw.low, figure.raw.high, form=form, how=figure.raw.how),
                show(figure.adjusted.value),
                interval(figure.adjusted.low, figure.adjusted.high, form=form, how=figure.adjusted.how),
                interval(figure.adjusted.alone_low, figure.adjusted.alone_high, form=form),
                "/".join(number(by) for by in figure.adjusted.tuning),
                str(figure.adjusted.n_labels),
            ]
            for name, figure in self.figures.items()
        ]
        level = f"{100 * self.sampling.level:g}% interval"
        header = ["figure", "raw", level, "adjusted", level, "labels alone", "lambda", "labels"]
        what = "pairs of answers" if self.pairs else "A - B"
        lines = [f"run: {self.run}"] if self.against is None else [f"A: {self.run}", f"B: {self.against}", "", what]
        lines += ["", text_table(header, rows), ""]
        kinds = kinds_text(figure.raw.how for figure in self.figures.values())
        lines.append(
            paragraph(
                "raw: what the verdicts say. adjusted: labels and verdicts (PPI++), right on average whatever the "
                "verifier does; lambda: how much the verdicts are used, 0 is not at all. labels alone: the interval "
                f"without any verdict. Raw interval: {self.sampling.text(kinds or 'none')}."
            )
        )
        if self.signature:
            lines.append(self.signature)
        if self.remarks:
            lines += ["", *(paragraph(remark, bullet="! ") for remark in self.remarks)]
        return "\n".join(lines)


class Labelled(NamedTuple):
    """A run with the labels of its claims.

    Attributes:
        run: The run.
        labels: Label by claim.
        pi: Probability of each claim to have been chosen, NaN where there is no label.
        strata: Number of each claim's stratum.
        digest: Of the file of labels.
        remarks: What a reader must know.
    """

    run: JudgedRun
    labels: Mapping[tuple[str, int], ClaimLabel]
    pi: np.ndarray
    strata: np.ndarray
    digest: str
    remarks: tuple[str, ...]


def read_labelled(path: Path, labels_path: Path, *, cluster_by: str | None = "question") -> Labelled:
    """A result folder and the labels of its claims.

    Raises:
        InputError: One of them cannot be read, or they do not belong together.
    """
    file = read_labels(labels_path)
    if file.of == "faults":
        raise InputError(
            f"{labels_path}: labels of faults say nothing of verdicts; `fas annotate merge` prints their shares",
            kind="other_run",
        )
    if file.of == "pairs":
        raise InputError(f"{labels_path}: labels of pairs need the other run, too: --against DIR", kind="usage")
    run = read_judged(path, cluster_by=cluster_by, of=file.of)
    labels, left_out = matched(run, file)
    if not labels:
        raise InputError(f"{labels_path}: no label of a claim that has a verdict", kind="nothing_in_common")
    remarks = []
    if left_out:
        remarks.append(f"{left_out} labels are of {file.of} without a verdict, which no figure counts: left out")
    if file.n_open:
        remarks.append(f"{file.n_open} chosen {file.of} have no label yet: taken for a random part of those chosen")
    if not file.has_probabilities:
        remarks.append(f"the labels name no probabilities (`pi`): taken for a simple random sample of all {file.of}")
    uncounted = "unsupported" if file.of == "claims" else COVERED["unsupported"]
    n_bad = sum(one.label == BAD for one in labels.values())
    if n_bad:
        remarks.append(
            f"{n_bad} of {len(labels)} labelled {file.of} are no good as {file.of}: they count as {uncounted}"
        )
    names = [stratum_of(claim) for claim in run.claims]
    said = {claim.key: name for claim, name in zip(run.claims, names, strict=True)}
    known = any(one.stratum for one in labels.values())
    if not known or any(one.stratum != said[key] for key, one in labels.items()):
        names = [""] * len(names)
        if known:
            remarks.append("the strata of the labels are not those of `fas annotate`: only the probabilities are used")
    return Labelled(run, labels, inclusion_of(run, labels), numbered(names), file.digest, tuple(remarks))


def figures_of(run: JudgedRun) -> list[Figure]:
    """The figures of a run that labels can correct."""
    metrics = run.results.metrics
    unit = {"supported": 0.0, "contradicted": 0.0, "unsupported": 0.0}
    if run.of == "statements":
        return [
            Figure(name, {**unit, label: 1.0}, True, kind=kind)
            for name, (label, kind) in _OF_STATEMENTS.items()
            if any(one.kind == kind for one in run.claims)
        ]
    support = next((name for name in metrics if name.startswith("support@")), None)
    if support is None:
        raise InputError(f"{run.results.path}: no metric 'support@k'", kind="type")
    k = support.partition("@")[2]
    weights = weights_of(run.results.signature)
    rest = weights.support + weights.no_contradiction
    of = {"support": "supported", "contra": "contradicted", "unsupported": "unsupported"}
    found = [Figure(f"{name}@{k}", {**unit, label: 1.0}, True) for name, label in of.items()]
    worth = {
        "supported": weights.support + weights.no_contradiction,
        "contradicted": 0.0,
        "unsupported": weights.no_contradiction,
    }
    found.append(Figure("fas_evidence", {label: value / rest for label, value in worth.items()}, False))
    if "fas" in metrics and not np.isnan(metrics["fas"]).all():
        found.append(Figure("fas", worth, False, bertscore=weights.bertscore))
    return found + [one._replace(name=OF_CLAIMS + one.name, by_claim=True) for one in found[:3]]


def weights_of(signature: str | None) -> Weights:
    """The weights of FAS that a signature names; the study's where there is none."""
    written = None if signature is None else Signature.parse(signature).fields.get("w")
    return Weights() if written is None else Weights(*map(float, written.split("/")))


def side_of(labelled: Labelled, figure: Figure, answers: Sequence[str], units: np.ndarray, n_units: int) -> Side:
    """The claims of *answers* as a side of an estimate.

    Args:
        labelled: Run and labels.
        figure: What is averaged.
        answers: Ids of the answers that it is over; each has a verified claim.
        units: Number of the unit of each.
        n_units: How many units there are.
    """
    place = {name: i for i, name in enumerate(answers)}
    kept = [i for i, one in enumerate(labelled.run.claims) if one.id in place and one.kind == figure.kind]
    claims = [labelled.run.claims[i] for i in kept]
    of_answer = np.array([place[claim.id] for claim in claims], dtype=np.intp)
    per_answer = np.bincount(of_answer, minlength=len(answers)).astype(np.float64)
    weights = np.ones(len(claims)) if figure.by_claim else 1.0 / per_answer[of_answer]
    offsets = np.zeros(n_units)
    if figure.bertscore:
        score = labelled.run.results
        known = score.metrics["bertscore_f1"][[score.place[name] for name in answers]]
        offsets += np.bincount(units, figure.bertscore * known, n_units)
    counted = per_answer if figure.by_claim else np.ones(len(answers))
    gold = np.full(len(claims), math.nan)
    for i, claim in enumerate(claims):
        if one := labelled.labels.get(claim.key):
            gold[i] = figure.worth["unsupported" if one.label == BAD else one.label]
    return Side(
        gold=gold,
        predicted=np.array([figure.worth[claim.verdict] for claim in claims]),
        inclusion=labelled.pi[kept],
        weights=weights,
        clusters=units[of_answer],
        sizes=np.bincount(units, counted, n_units).astype(np.float64),
        offsets=offsets,
        strata=numbered([str(labelled.strata[i]) for i in kept]),
    )


def adjust_run(
    path: Path,
    labels: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> AdjustedRun:
    """The figures of one run.

    Args:
        path: Result folder or `scores.jsonl`.
        labels: Labels of its claims (`fas.labels.files`).
        metrics: Only these figures.
        cluster_by: What answers of one unit share, as in every table.
        n_resamples: Draws of the raw intervals.
        level: Confidence level.
        seed: Seed of the draws.

    Raises:
        InputError: A file cannot be used, or the labels are of another run.
    """
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    results = labelled.run.results
    found: dict[str, AdjustedFigure] = {}
    names = list(results.lines)
    for figure in picked(figures_of(labelled.run), metrics, results.path):
        rows = with_value(labelled.run, figure)
        answers = [names[i] for i in rows]
        units = numbered([str(labelled.run.units[i]) for i in rows])
        side = side_of(labelled, figure, answers, units, int(units.max()) + 1)
        raw = _raw(labelled.run, figure, rows, side, units, n_resamples, level, seed)
        n = len(side.gold) if figure.by_claim else len(rows)
        found[figure.name] = AdjustedFigure(raw, adjusted_mean(side, level=level, share=figure.share), n)
    clusters = units_of(results, names)
    return AdjustedRun(
        run=results.path,
        against=None,
        figures=found,
        sampling=Sampling.of(len(names), clusters, cluster_by, n_resamples=n_resamples, level=level, seed=seed),
        signature=signed_with(results.signature, [labelled]),
        remarks=(*labelled.remarks, *_told(found)),
    )


def adjust_difference(
    path: Path,
    labels: Path,
    against: Path,
    labels_against: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    join_by: JoinRule = "question",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> AdjustedRun:
    """What the first run has more than the second, over the answers of both.

    Raises:
        InputError: A file cannot be used, the labels are of another run, or the runs do not belong together.
    """
    a = read_labelled(path, labels, cluster_by=cluster_by)
    b = read_labelled(against, labels_against, cluster_by=cluster_by)
    pairs = join(a.run.results, b.run.results, join_by)
    theirs = {figure.name: figure for figure in figures_of(b.run)}
    shared = [figure for figure in figures_of(a.run) if figure.name in theirs and not figure.by_claim]
    if weights_of(a.run.results.signature) != weights_of(b.run.results.signature):
        shared = [figure for figure in shared if not figure.name.startswith("fas")]
    found: dict[str, AdjustedFigure] = {}
    for figure in picked(shared, metrics, a.run.results.path):
        ids = [name for name in pairs.ids if _has(a.run, figure, name) and _has(b.run, figure, name)]
        if not ids:
            continue
        clusters = units_of(a.run.results, ids)
        units = numbered(clusters if clusters is not None else ids)
        sides = [side_of(one, figure, ids, units, int(units.max()) + 1) for one in (a, b)]
        values = [one.run.results.metrics[figure.name][[one.run.results.place[i] for i in ids]] for one in (a, b)]
        raw = paired_differences(
            {"": values[0]}, {"": values[1]}, n_resamples=n_resamples, level=level, seed=seed, clusters=clusters
        )[""]
        summary = MetricSummary(raw.difference, raw.low, raw.high, raw.n, raw.how)
        found[figure.name] = AdjustedFigure(summary, adjusted_mean(*sides, level=level), len(ids))
    if not found:
        raise InputError(f"{path} and {against}: no figure that both have of one answer", kind="nothing_in_common")
    sampling = Sampling.of(
        len(pairs.ids),
        units_of(a.run.results, pairs.ids),
        cluster_by,
        n_resamples=n_resamples,
        level=level,
        seed=seed,
    )
    remarks = [f"{side}: {text}" for side, one in (("A", a), ("B", b)) for text in one.remarks]
    return AdjustedRun(
        run=a.run.results.path,
        against=b.run.results.path,
        figures=found,
        sampling=sampling,
        signature=None,
        remarks=(*pairs.notes(), *remarks, *_told(found)),
    )


def signed_with(signature: str | None, labelled: Sequence[Labelled]) -> str | None:
    """The signature of a run with the labels that corrected it."""
    if signature is None:
        return None
    written = "+".join(f"{one.digest}[n={len(one.labels)}]" for one in labelled)
    return Signature.parse(signature).with_field("labels", written)


def write_adjusted(found: AdjustedRun, folder: Path) -> None:
    """Write `adjusted.json` into a result folder, or `adjusted_statements.json` where the labels are of statements.

    Raises:
        OSError: It cannot be written.
    """
    name = CORRECTED[any(figure in _OF_STATEMENTS for figure in found.figures)]
    with replacing(folder / name) as out:
        out.write(json.dumps(found.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def show_adjusted(folder: Path, labels: Path) -> bool:
    """Write the corrected figures into the folder's report and page too; False where it has none of these.

    Raises:
        InputError: The report or the labels cannot be read.
        OSError: A file cannot be written.
    """
    from fas.labels.verifier import precision_for_page
    from fas.report.corrected import read_corrected, write_into_report
    from fas.report.html import write_html
    from fas.report.stored_report import read_report

    page, scores = folder / "report.html", folder / "scores.jsonl"
    if not page.is_file() or not (folder / "report.json").is_file():
        return False
    report = read_report(folder)
    write_into_report(folder, read_corrected(folder, report.signature))
    precision = precision_for_page(folder, labels) if read_labels(labels).of == "claims" else None
    write_html(page, report, scores, precision=precision)
    return True


def picked(figures: Sequence[Figure], wanted: Sequence[str] | None, where: Path) -> list[Figure]:
    """The figures to report: *wanted*, or all.

    Raises:
        InputError: A wanted figure is not there; the message lists those that are.
    """
    if wanted is None:
        return list(figures)
    missing = [name for name in wanted if name not in {figure.name for figure in figures}]
    if missing:
        there = ", ".join(figure.name for figure in figures)
        raise InputError(f"{where}: no figure {', '.join(map(repr, missing))} to adjust; there are {there}")
    return [figure for figure in figures if figure.name in wanted]


def with_value(run: JudgedRun, figure: Figure) -> list[int]:
    """Rows of the answers that have a value of *figure*."""
    return [i for i, name in enumerate(run.results.lines) if _has(run, figure, name)]


def _has(run: JudgedRun, figure: Figure, name: str) -> bool:
    """Whether an answer has a value of *figure*."""
    metric = figure.name.removeprefix(OF_CLAIMS)
    row = run.results.place.get(name)
    return row is not None and not bool(np.isnan(run.results.metrics[metric][row]))


def _raw(
    run: JudgedRun,
    figure: Figure,
    rows: Sequence[int],
    side: Side,
    units: np.ndarray,
    n_resamples: int,
    level: float,
    seed: int,
) -> MetricSummary:
    """The figure by the verdicts, with the interval that the report gives it."""
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    clustered = int(units.max()) + 1 < len(units)
    if figure.by_claim:  # every claim is a value, and a unit has all of its own
        return mean_intervals({"": side.predicted}, clusters=side.clusters, proportions={""}, **options)[""]
    values = run.results.metrics[figure.name][list(rows)]
    return mean_intervals({"": values}, clusters=units if clustered else None, **options)[""]


def _told(figures: Mapping[str, AdjustedFigure]) -> list[str]:
    """What the numbers themselves do not say."""
    remarks = []
    unused = [name for name, one in figures.items() if set(one.adjusted.tuning) == {0.0}]
    if unused:
        remarks.append(
            f"{', '.join(unused)}: lambda is 0. The claims were drawn by verdict, so that their strata hold what the "
            "verdicts say already (labels alone, too, are by stratum); or fewer than five labels differ from their "
            "verdict, which says too little of how often it errs; or verdicts would not make the interval narrower"
        )
    out = [name for name, one in figures.items() if _leaves_out(one)]
    if out:
        remarks.append(f"the raw value lies outside the adjusted interval: {', '.join(out)}")
    return remarks


def _leaves_out(figure: AdjustedFigure) -> bool:
    low, high = figure.adjusted.low, figure.adjusted.high
    return not math.isnan(low) and not low <= figure.raw.mean <= high

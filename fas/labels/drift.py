"""Changes of verdicts on unchanged answers between two runs, and of labels between two rounds of one run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from fas.core.errors import InputError
from fas.core.records import MetricSummary
from fas.labels.audit import AuditedFigure, compare_corrections, list_audit_rows
from fas.labels.figures import Labelled, read_labelled
from fas.labels.judged import VERDICTS, JudgedClaim, JudgedRun, number_names, read_judged
from fas.report.join import list_units, read_column
from fas.report.tables import interval, json_ready, number, percent, signed, text_table, wrap_paragraph
from fas.stats.agreement import cohen_kappa
from fas.stats.bootstrap import BootstrapOptions, Estimate, Resampling, mean_intervals
from fas.stats.paired import PairedDifference, paired_difference, paired_differences
from fas.stats.prediction_powered import Adjusted, Side, adjusted_mean

_FIGURES = ("support@", "contra@", "unsupported@", "fas", "coverage", "omitted", "denied")


@dataclass(frozen=True, slots=True)
class VerdictDrift:
    """Two runs over the same answers.

    Attributes:
        changed: Share of the claims that both have whose verdict has changed.
        table: Earlier verdict, then the later one, to the number of claims.
        right: How much more often the verdict is the label, now less then, on labelled claims; weighted by one over
            their probabilities.
        right_now: How often it is now.
    """

    run: Path
    earlier: Path
    n_answers: int
    changed: MetricSummary
    table: Mapping[str, Mapping[str, int]]
    figures: Mapping[str, PairedDifference]
    right: Adjusted
    right_now: float
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        found = dict(json_ready(self))
        now, right = found.pop("right_now"), found["right"]
        limits = {name: right[name] for name in ("low", "high", "n_labels")}
        return {**found, "right": {"now": now, "difference": right["value"], **limits}}

    def as_text(self) -> str:
        """Tables for people."""
        matrix = [[name, *(str(row[verdict]) for verdict in VERDICTS)] for name, row in self.table.items()]
        rows = [
            [name, number(one.mean_a), number(one.mean_b), *_signed_cells(one)] for name, one in self.figures.items()
        ]
        one, right = self.changed, self.right
        limits = interval(one.low, one.high, form="percent", how=one.how)
        said = (
            f"The verdict is the label on {percent(self.right_now)} of the claims now, {signed(right.value)} "
            f"{interval(right.low, right.high, form='signed', how=right.how)} against then ({right.n_labels} labels)."
        )
        return _join_blocks(
            self.notes,
            f"now: {self.run}\nthen: {self.earlier}",
            f"{self.n_answers} unchanged answers; {percent(one.mean)} {limits} of {one.n} claims have another verdict",
            text_table(["then | now", *VERDICTS], matrix),
            text_table(["figure", "now", "then", "now - then", "95% interval"], rows),
            wrap_paragraph(said),
        )


def measure_verdict_drift(
    path: Path, labels: Path, earlier: Path, *, cluster_by: str | None = "question", **options: Unpack[BootstrapOptions]
) -> VerdictDrift:
    """Changes of verdicts since an *earlier* run on the same answers, and whether they came nearer to the labels.

    Answers whose text has changed since are left out; `notes` says how many. An InputError where no
    claim is in both runs.
    """
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    now = labelled.run
    then = read_judged(earlier, cluster_by=cluster_by, of=now.of)
    both = [name for name in now.records if name in then.records]
    kept = [name for name in both if _read_text(now, name) == _read_text(then, name)]
    unchanged = set(kept)
    known = {(claim.id, claim.text): claim for claim in then.claims if claim.id in unchanged}
    before = {one.key: known[one.id, one.text] for one in now.claims if (one.id, one.text) in known}
    if not before:
        raise InputError(f"{path} and {earlier}: no claim of an unchanged answer in common", kind="nothing_in_common")
    shared = [claim for claim in now.claims if claim.key in before]
    of_claims: BootstrapOptions = {**options, "clusters": now.units_of(shared)}
    of_answers: BootstrapOptions = {**options, "clusters": list_units(now.results, kept)}
    pairs = Counter((before[claim.key].verdict, claim.verdict) for claim in shared)
    other = np.array([claim.verdict != before[claim.key].verdict for claim in shared], dtype=float)
    names = [name for name in now.results.metrics if name.startswith(_FIGURES) and name in then.results.metrics]
    columns = ({name: read_column(one.results, name, kept) for name in names} for one in (now, then))
    notes = list(labelled.remarks)
    if len(kept) < len(both):
        notes.append(f"{len(both) - len(kept)} answers differ in text from the earlier run: omitted")
    n_new = sum(claim.id in unchanged for claim in now.claims) - len(shared)
    if n_new:
        notes.append(
            f"{n_new} claims of unchanged answers are missing from the earlier run or had no verdict there: omitted"
        )
    return VerdictDrift(
        now.results.path,
        then.results.path,
        len(kept),
        mean_intervals({"": other}, proportions={""}, **of_claims)[""],
        {one: {two: pairs[one, two] for two in VERDICTS} for one in VERDICTS},
        paired_differences(*columns, **of_answers),
        *_measure_right(labelled, before),
        tuple(notes),
    )


def _measure_right(labelled: Labelled, before: Mapping[tuple[str, int], JudgedClaim]) -> tuple[Adjusted, float]:
    """The gain in how often the verdict is the label, and how often it is now; of claims of both runs."""
    kept = [i for i, one in enumerate(labelled.run.claims) if one.key in before]
    claims = [labelled.run.claims[i] for i in kept]
    units = number_names([str(unit) for unit in labelled.run.units_of(claims)])
    now, gain = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    for i, claim in enumerate(claims):
        if one := labelled.labels.get(claim.key):
            label = one.label if one.label in VERDICTS else "unsupported"
            now[i] = float(claim.verdict == label)
            gain[i] = now[i] - float(before[claim.key].verdict == label)
    n_units = int(units.max()) + 1

    def mean(gold: np.ndarray) -> Adjusted:
        ones = np.ones(len(kept))
        sizes = np.bincount(units, ones, n_units).astype(np.float64)
        strata = number_names([str(labelled.strata[i]) for i in kept])
        side = Side(gold, 0 * ones, labelled.pi[kept], ones, units, sizes, np.zeros(n_units), strata)
        return adjusted_mean(side, tuning=[0.0])

    return mean(gain), mean(now).value


def _read_text(run: JudgedRun, name: str) -> str:
    return " ".join(str(run.records[name]["prediction"] or "").split())


@dataclass(frozen=True, slots=True)
class LabelDrift:
    """Two rounds of labels of one run: how often a claim has the *same* label in both, and what each round says."""

    run: Path
    same: MetricSummary
    kappa: Estimate
    supported: PairedDifference | None
    margin: float
    figures: Mapping[str, AuditedFigure]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        figures = {name: json_ready(one.as_dict()) for name, one in self.figures.items()}
        return {**json_ready(self), "figures": figures}

    def as_text(self) -> str:
        """Tables for people."""
        rows = [
            [name, number(one[0]), interval(one.low, one.high, how=one.how), str(one.n)]
            for name, one in (("same label", self.same), ("kappa", self.kappa))
        ]
        if self.supported is not None:
            rows.append(["supported, now less then", *_signed_cells(self.supported), str(self.supported.n)])
        said = (
            "now, then: by how much the labels of a round say more than verdicts do. pass: the two rounds correct "
            f"the run alike, to within {self.margin:g}; fail: they do not; too few: the labels cannot tell."
        )
        return _join_blocks(
            self.notes,
            f"run: {self.run}",
            text_table(["labelled in both rounds", "value", "95% interval", "n"], rows),
            text_table(["figure", "now", "then", "now - then", "interval", "drift"], list_audit_rows(self.figures)),
            wrap_paragraph(said),
        )


def measure_label_drift(
    path: Path,
    labels: Path,
    earlier: Path,
    *,
    margin: float = 0.05,
    cluster_by: str | None = "question",
    **options: Unpack[BootstrapOptions],
) -> LabelDrift:
    """Whether two rounds of labels say the same of one run; the corrections of both may lie *margin* (> 0) apart."""
    now, then = (read_labelled(path, one, cluster_by=cluster_by) for one in (labels, earlier))
    if now.run.of != then.run.of:
        raise InputError(f"{earlier}: labels of {then.run.of}; {labels} has labels of {now.run.of}", kind="type")
    figures = compare_corrections(now, then, margin=margin, level=Resampling(**options).level)
    shared = [claim for claim in now.run.claims if claim.key in now.labels and claim.key in then.labels]
    notes = [*(f"now: {text}" for text in now.remarks), *(f"then: {text}" for text in then.remarks)]
    same, kappa, supported = (
        MetricSummary(math.nan, math.nan, math.nan, 0, "none: no claim is labelled twice"),
        None,
        None,
    )
    if shared:
        given: BootstrapOptions = {**options, "clusters": now.run.units_of(shared)}
        said = [np.array([one.labels[claim.key].label for claim in shared]) for one in (now, then)]
        same = mean_intervals({"": (said[0] == said[1]).astype(float)}, proportions={""}, **given)[""]
        kappa = cohen_kappa(*said, **given)
        supported = paired_difference(*((one == "supported").astype(float) for one in said), **given)
    else:
        notes.append("no claim is labelled in both rounds: label some again to see whether people have changed")
    path = now.run.results.path
    return LabelDrift(path, same, kappa or Estimate(*same), supported, margin, figures, tuple(notes))


def _signed_cells(one: PairedDifference) -> list[str]:
    return [signed(one.difference), interval(one.low, one.high, form="signed", how=one.how)]


def _join_blocks(notes: tuple[str, ...], *blocks: str) -> str:
    return "\n\n".join([*blocks, *(wrap_paragraph(text, bullet="! ") for text in notes)])

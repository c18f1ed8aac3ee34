"""What another run says of unchanged answers, or another round of labels of one run, and which is nearer to labels."""

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
from fas.labels.audit import AuditedFigure, attach_audit, audit_rows
from fas.labels.figures import Labelled, read_labelled
from fas.labels.judged import VERDICTS, JudgedClaim, JudgedRun, number_names, read_judged, units_of_claims
from fas.report.join import column, units_of
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
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        return dict(
            json_ready(
                {
                    "run": str(self.run),
                    "earlier": str(self.earlier),
                    "n_answers": self.n_answers,
                    "changed": self.changed._asdict(),
                    "table": self.table,
                    "figures": {name: one.as_dict() for name, one in self.figures.items()},
                    "right": {
                        "now": self.right_now,
                        "difference": self.right.value,
                        "low": self.right.low,
                        "high": self.right.high,
                        "n_labels": self.right.n_labels,
                    },
                    "notes": list(self.remarks),
                }
            )
        )

    def as_text(self) -> str:
        """Tables for people."""
        matrix = [[name, *(str(row[verdict]) for verdict in VERDICTS)] for name, row in self.table.items()]
        rows = [
            [
                name,
                number(one.mean_a),
                number(one.mean_b),
                signed(one.difference),
                interval(one.low, one.high, form="signed", how=one.how),
            ]
            for name, one in self.figures.items()
        ]
        one = self.changed
        limits = interval(one.low, one.high, form="percent", how=one.how)
        right = self.right
        blocks = [
            f"now: {self.run}\nthen: {self.earlier}",
            f"{self.n_answers} unchanged answers; {percent(one.mean)} {limits} of {one.n} claims have another verdict",
            text_table(["then | now", *VERDICTS], matrix),
            text_table(["figure", "now", "then", "now - then", "95% interval"], rows),
            wrap_paragraph(
                f"The verdict is the label on {percent(self.right_now)} of the claims now, "
                f"{signed(right.value)} {interval(right.low, right.high, form='signed', how=right.how)} against then "
                f"({right.n_labels} labels)."
            ),
        ]
        return "\n\n".join([*blocks, *(wrap_paragraph(text, bullet="! ") for text in self.remarks)])


def verdict_drift(
    path: Path, labels: Path, earlier: Path, *, cluster_by: str | None = "question", **options: Unpack[BootstrapOptions]
) -> VerdictDrift:
    """What another run says of the same answers, and which of the two is nearer to the labels of the later one.

    Answers whose text has changed since the *earlier* run are left out, and told.

    Raises:
        InputError: A file cannot be used, or no claim is in both runs.
    """
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    now = labelled.run
    then = read_judged(earlier, cluster_by=cluster_by, of=now.of)
    both = [name for name in now.records if name in then.records]
    kept = [name for name in both if _text(now, name) == _text(then, name)]
    before = {(claim.id, claim.text): claim for claim in then.claims}
    unchanged = set(kept)
    shared = [claim for claim in now.claims if claim.id in unchanged and (claim.id, claim.text) in before]
    if not shared:
        raise InputError(f"{path} and {earlier}: no claim of an unchanged answer in common", kind="nothing_in_common")
    of_claims: BootstrapOptions = {**options, "clusters": units_of_claims(now, shared)}
    of_answers: BootstrapOptions = {**options, "clusters": units_of(now.results, kept)}
    pairs = Counter((before[claim.id, claim.text].verdict, claim.verdict) for claim in shared)
    other = np.array([claim.verdict != before[claim.id, claim.text].verdict for claim in shared], dtype=float)
    names = [name for name in now.results.metrics if name.startswith(_FIGURES) and name in then.results.metrics]
    remarks = list(labelled.remarks)
    if len(kept) < len(both):
        remarks.append(f"{len(both) - len(kept)} answers differ in text from the earlier run: omitted")
    n_new = sum(claim.id in unchanged for claim in now.claims) - len(shared)
    if n_new:
        remarks.append(
            f"{n_new} claims of unchanged answers are missing from the earlier run or had no verdict there: omitted"
        )
    right, right_now = _measure_right(labelled, before, unchanged)
    return VerdictDrift(
        now.results.path,
        then.results.path,
        len(kept),
        mean_intervals({"": other}, proportions={""}, **of_claims)[""],
        {one: {two: pairs[one, two] for two in VERDICTS} for one in VERDICTS},
        paired_differences(
            {name: column(now.results, name, kept) for name in names},
            {name: column(then.results, name, kept) for name in names},
            **of_answers,
        ),
        right,
        right_now,
        tuple(remarks),
    )


def _measure_right(
    labelled: Labelled, before: Mapping[tuple[str, str], JudgedClaim], unchanged: set[str]
) -> tuple[Adjusted, float]:
    """How much more often the verdict is the label now, and how often it is now; of claims of both runs."""
    run = labelled.run
    kept = [i for i, one in enumerate(run.claims) if one.id in unchanged and (one.id, one.text) in before]
    claims = [run.claims[i] for i in kept]
    units = units_of_claims(run, claims)
    now, gain = np.full(len(kept), np.nan), np.full(len(kept), np.nan)
    for i, claim in enumerate(claims):
        if one := labelled.labels.get(claim.key):
            label = one.label if one.label in VERDICTS else "unsupported"
            now[i] = float(claim.verdict == label)
            gain[i] = now[i] - float(before[claim.id, claim.text].verdict == label)
    n_units = int(units.max()) + 1

    def mean(gold: np.ndarray) -> Adjusted:
        ones = np.ones(len(kept))
        sizes = np.bincount(units, ones, n_units).astype(np.float64)
        strata = number_names([str(labelled.strata[i]) for i in kept])
        side = Side(gold, 0 * ones, labelled.pi[kept], ones, units, sizes, np.zeros(n_units), strata)
        return adjusted_mean(side, tuning=[0.0])

    return mean(gain), mean(now).value


def _text(run: JudgedRun, name: str) -> str:
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
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        return dict(
            json_ready(
                {
                    "run": str(self.run),
                    "same": self.same._asdict(),
                    "kappa": self.kappa._asdict(),
                    "supported": None if self.supported is None else self.supported.as_dict(),
                    "margin": self.margin,
                    "figures": {name: one.as_dict() for name, one in self.figures.items()},
                    "notes": list(self.remarks),
                }
            )
        )

    def as_text(self) -> str:
        """Tables for people."""
        rows = [["same label", number(self.same.mean), interval(*self.same[1:3], how=self.same.how), str(self.same.n)]]
        one = self.kappa
        rows.append(["kappa", number(one.value), interval(one.low, one.high, how=one.how), str(one.n)])
        if self.supported is not None:
            found = self.supported
            limits = interval(found.low, found.high, form="signed", how=found.how)
            rows.append(["supported, now less then", signed(found.difference), limits, str(found.n)])
        blocks = [
            f"run: {self.run}",
            text_table(["labelled in both rounds", "value", "95% interval", "n"], rows),
            text_table(["figure", "now", "then", "now - then", "interval", "drift"], audit_rows(self.figures)),
            wrap_paragraph(
                "now, then: by how much the labels of a round say more than verdicts do. pass: the two rounds correct "
                f"the run alike, to within {self.margin:g}; fail: they do not; too few: the labels cannot tell."
            ),
        ]
        return "\n\n".join([*blocks, *(wrap_paragraph(text, bullet="! ") for text in self.remarks)])


def label_drift(
    path: Path,
    labels: Path,
    earlier: Path,
    *,
    margin: float = 0.05,
    cluster_by: str | None = "question",
    **options: Unpack[BootstrapOptions],
) -> LabelDrift:
    """Whether two rounds of labels say the same of one run; the corrections of both may lie *margin* apart.

    Raises:
        InputError: A file cannot be used, or the labels are of another run.
        ValueError: The margin is not positive.
    """
    now, then = (read_labelled(path, one, cluster_by=cluster_by) for one in (labels, earlier))
    if now.run.of != then.run.of:
        raise InputError(f"{earlier}: labels of {then.run.of}; {labels} has labels of {now.run.of}", kind="type")
    figures = attach_audit([now, then], margin=margin, level=Resampling(**options).level)
    shared = [claim for claim in now.run.claims if claim.key in now.labels and claim.key in then.labels]
    remarks = [*(f"now: {text}" for text in now.remarks), *(f"then: {text}" for text in then.remarks)]
    if not shared:
        remarks.append("no claim is labelled in both rounds: label some again to see whether people have changed")
        none = Estimate.of(math.nan, 0, "none: no claim is labelled twice")
        return LabelDrift(now.run.results.path, MetricSummary(*none), none, None, margin, figures, tuple(remarks))
    given: BootstrapOptions = {**options, "clusters": units_of_claims(now.run, shared)}
    said = [[one.labels[claim.key].label for claim in shared] for one in (now, then)]
    same = np.array([a == b for a, b in zip(*said, strict=True)], dtype=float)
    supported = [np.array([label == "supported" for label in one], dtype=float) for one in said]
    return LabelDrift(
        now.run.results.path,
        mean_intervals({"": same}, proportions={""}, **given)[""],
        cohen_kappa(*said, **given),
        paired_difference(*supported, **given),
        margin,
        figures,
        tuple(remarks),
    )

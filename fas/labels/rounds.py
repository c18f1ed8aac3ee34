"""Two rounds of labels of one run: whether people still say the same."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from fas.core.errors import InputError
from fas.core.records import MetricSummary
from fas.labels.audit import AuditedFigure, attach_audit, audit_rows
from fas.labels.figures import read_labelled
from fas.labels.judged import units_of_claims
from fas.report.tables import interval, json_ready, number, signed, text_table, wrap_paragraph
from fas.stats.agreement import cohen_kappa
from fas.stats.bootstrap import BootstrapOptions, Estimate, Resampling, mean_intervals
from fas.stats.paired import PairedDifference, paired_difference


@dataclass(frozen=True, slots=True)
class LabelDrift:
    """Two rounds of labels of one run.

    Attributes:
        same: Share of the claims labelled in both rounds whose label is the same.
        kappa: Cohen's kappa of the two rounds on them.
        supported: Share of them that is called supported, now less then.
        figures: By how much labels say more than verdicts: now, then, and the difference with its outcome.
    """

    run: Path
    same: MetricSummary
    kappa: Estimate
    supported: PairedDifference | None
    margin: float
    figures: Mapping[str, AuditedFigure]
    remarks: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        found: dict[str, Any] = json_ready(
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
        return found

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

"""Thresholds from labels, and the file that a run can name (`--thresholds`)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.errors import InputError
from fas.core.files.own import write_json
from fas.core.files.plain import parse_json
from fas.labels.figures import read_labelled
from fas.report.tables import json_ready, number, text_table, wrap_paragraph
from fas.stats.draws import FloatArray
from fas.stats.precision_threshold import PrecisionThreshold, find_precision_threshold


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The thresholds of support and of contradiction for one verifier, as the run's signature has it.

    Each promises *precision* and may fail with the probability *delta*; *labels* is the digest of the labels.
    """

    support: PrecisionThreshold
    contradiction: PrecisionThreshold
    precision: float
    delta: float
    verify: str
    labels: str

    def as_dict(self) -> dict[str, Any]:
        """For programs, and the file itself."""
        return {
            "support": self.support.threshold,
            "contradiction": self.contradiction.threshold,
            "precision": self.precision,
            "delta": self.delta,
            "verify": self.verify,
            "labels": self.labels,
            "details": {name: json_ready(asdict(getattr(self, name))) for name in ("support", "contradiction")},
        }

    def as_text(self) -> str:
        """For people."""
        rows, notes = [], []
        for name, one in (("support", self.support), ("contradiction", self.contradiction)):
            shown = "-" if one.threshold is None else f"{one.threshold:.2f}"
            rows.append([name, shown, number(one.precision), number(one.bound), str(one.n)])
            if one.threshold is None:
                notes.append(f"no threshold of {name}: {one.why_none}")
        said = (
            f"precision at least {self.precision:g} with confidence {1 - self.delta:g} each, for the verifier and the "
            "kind of answers that were labelled"
        )
        if not (self.support.exact and self.contradiction.exact):
            notes.append("claims share questions or have unequal probabilities: the bounds are approximations")
        table = text_table(["verdict", "threshold", "precision", "bound", "labels"], rows)
        return "\n\n".join([table, wrap_paragraph(said), *(wrap_paragraph(note, bullet="! ") for note in notes)])

    def write(self, path: Path) -> None:
        """Write the file."""
        write_json(path, self.as_dict())


def fit_thresholds(
    path: Path, labels: Path, *, precision: float = 0.9, delta: float = 0.05, cluster_by: str | None = "question"
) -> Thresholds:
    """Thresholds for the verifier of a run from labels of its claims; a ValueError where an option is out of range."""
    labelled = read_labelled(path, labels, cluster_by=cluster_by)
    if labelled.run.of != "claims":
        raise InputError(f"{labels}: labels of {labelled.run.of}; thresholds are of verdicts on claims", kind="type")
    claims, weights = labelled.weigh_claims()
    units = labelled.run.units_of(claims)
    support, contradict = np.array([(claim.p_support, claim.p_contradict) for claim in claims]).T

    def find(verdict: str, own: FloatArray, eligible: np.ndarray) -> PrecisionThreshold:
        right = np.array([labelled.labels[claim.key].label == verdict for claim in claims])
        return find_precision_threshold(own, eligible, right, weights, units, precision=precision, delta=delta)

    signature = labelled.run.results.signature or ""
    verify = next((part for part in signature.split("|") if part.startswith("verify:")), "").removeprefix("verify:")
    return Thresholds(
        find("supported", support, support >= contradict),
        find("contradicted", contradict, contradict > support),
        precision,
        delta,
        verify,
        labelled.digest,
    )


def read_thresholds(path: Path) -> dict[str, float]:
    """The settings that a file of `fas labels thresholds` names, by their names in a profile.

    An InputError where it cannot be read, or names no threshold because there were too few labels.
    """
    try:
        found = parse_json(path.read_bytes())
        values = {name: found[name] for name in ("support", "contradiction")}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"{path}: not what `fas labels thresholds` writes: {error}", kind="json") from error
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                f"{path}: field {name!r}: no threshold, because the labels did not allow this precision; label "
                "more claims, ask for a lower precision, or write a threshold into the file",
                kind="type",
                field=name,
            )
    return {"threshold": float(values["support"]), "threshold_contradiction": float(values["contradiction"])}

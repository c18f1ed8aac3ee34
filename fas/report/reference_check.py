"""The reference metrics of a finished run, recomputed by the published packages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.checks import count_of
from fas.core.errors import InputError
from fas.core.profile import Profile
from fas.reference.bertscore import default_layer
from fas.reference.packages import METRICS, PackageScorer
from fas.report.tables import text_table
from fas.results import read_records, scores_path, signature_of

TOLERANCE = 1e-4
"""BERTScore in fp32 differs in the sixth decimal between libraries."""
REDUCED_TOLERANCE = 0.005
"""For BERTScore of a run in fewer bits, which the packages compute in fp32: bfloat16 differs in the third decimal."""


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """How far stored scores and those of the packages lie apart.

    Attributes:
        n_cut: Answers with a text longer than the encoder reads; their BERTScore is not compared, because the run
            reads such texts in windows and the package cuts them.
        largest: Metric to the largest absolute difference; NaN where nothing was compared.
        where: Metric to the id of that answer.
        precision: The number format of the run, as in its signature.
    """

    n: int
    n_cut: int
    largest: Mapping[str, float]
    where: Mapping[str, str]
    precision: str = "fp32"

    def allowed(self, metric: str) -> float:
        """How far the two may lie apart."""
        return REDUCED_TOLERANCE if metric == "bertscore_f1" and self.precision != "fp32" else TOLERANCE

    @property
    def agrees(self) -> bool:
        """Whether no difference is above what is allowed."""
        return all(math.isnan(value) or value <= self.allowed(name) for name, value in self.largest.items())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "n": self.n,
            "n_cut": self.n_cut,
            "largest": {name: value if math.isfinite(value) else None for name, value in self.largest.items()},
            "where": dict(self.where),
            "allowed": {name: self.allowed(name) for name in self.largest},
            "precision": self.precision,
            "agrees": self.agrees,
        }

    def as_text(self) -> str:
        """A table for people."""
        rows = [
            [name, "-" if math.isnan(value) else f"{value:.2e}", f"{self.allowed(name):g}", self.where.get(name, "-")]
            for name, value in self.largest.items()
        ]
        table = text_table(["metric", "largest difference", "allowed", "answer"], rows)
        verdict = "the packages agree" if self.agrees else "THE PACKAGES DISAGREE by more than is allowed"
        if self.precision != "fp32":
            verdict += f" (the run's encoder computed in {self.precision}, theirs in fp32)"
        cut = f"; BERTScore of {self.n_cut} answers with long texts was not compared" if self.n_cut else ""
        return f"{table}\n\n{count_of(self.n, 'answer')}: {verdict}{cut}"


def check_reference(out: Path, profile: Profile) -> ReferenceCheck:
    """Recompute the reference metrics stored in *out*.

    *profile*: the settings the run had; those of its [reference] table count.

    Raises:
        InputError: A file is missing, or no answer has references.
        ValueError: The run did not take the study's tokens (`ptb`) or the best of several references.
    """
    settings = profile.reference
    if settings.get("tokenizer", "ptb") != "ptb" or settings.get("multi_reference", "best") != "best":
        raise ValueError("the check is for runs with tokenizer = 'ptb' and multi_reference = 'best'")
    model = settings.get("bertscore_model", "fas-encoder-mini")
    layer = settings.get("bertscore_layer") or default_layer(model)
    scorer = PackageScorer(bleu_method=settings.get("bleu_method", 1), model=model, layer=layer)
    largest, where = dict.fromkeys(METRICS, math.nan), {}
    n = n_cut = 0
    for _, record in read_records(scores_path(out)):
        references = record["references"]
        if record["error"] is not None or not references:
            continue
        n += 1
        theirs = scorer.score(record["prediction"] or "", references)
        n_cut += theirs.cut
        for name in METRICS:
            ours = record.get(name)
            if name == "bertscore_f1" and theirs.cut:
                continue
            # Where the packages have a score and the run has none, they disagree.
            difference = math.inf if ours is None else abs(ours - getattr(theirs, name))
            if not difference <= largest[name]:
                largest[name], where[name] = difference, str(record["id"])
    if not n:
        raise InputError(f"{out}: no scored answer has references", kind="nothing_in_common")
    signature = signature_of(scores_path(out))
    precision = "fp32" if signature is None else signature.fields.get("prec", "fp32")
    return ReferenceCheck(n, n_cut, largest, where, precision)

"""The reference metrics of a finished run, recomputed by the published packages."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.answers.files import BadLine, read_answers
from fas.errors import InputError
from fas.profile import Profile
from fas.reference.bertscore import default_layer
from fas.reference.packages import METRICS, PackageScorer
from fas.report.results import json_lines, scores_path
from fas.report.tables import text_table

TOLERANCE = 1e-4
"""BERTScore in fp32 differs in the sixth decimal between libraries; bfloat16 in the third."""


@dataclass(frozen=True, slots=True)
class ReferenceCheck:
    """How far stored scores and those of the packages lie apart.

    Attributes:
        n: Answers compared.
        n_cut: Answers with a text longer than the encoder reads; their BERTScore is not compared, because the run
            reads such texts in windows and the package cuts them.
        largest: Metric to the largest absolute difference; NaN where nothing was compared.
        where: Metric to the id of that answer.
    """

    n: int
    n_cut: int
    largest: Mapping[str, float]
    where: Mapping[str, str]

    @property
    def agrees(self) -> bool:
        """Whether no difference is above 0.0001."""
        return all(math.isnan(value) or value <= TOLERANCE for value in self.largest.values())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "n": self.n,
            "n_cut": self.n_cut,
            "largest": {name: None if math.isnan(value) else value for name, value in self.largest.items()},
            "where": dict(self.where),
            "agrees": self.agrees,
        }

    def as_text(self) -> str:
        """A table for people."""
        rows = [
            [name, "-" if math.isnan(value) else f"{value:.2e}", self.where.get(name, "-")]
            for name, value in self.largest.items()
        ]
        table = text_table(["metric", "largest difference", "answer"], rows)
        verdict = "the packages agree" if self.agrees else f"THE PACKAGES DISAGREE by more than {TOLERANCE:g}"
        cut = f"; BERTScore of {self.n_cut} answers with long texts was not compared" if self.n_cut else ""
        return f"{table}\n\n{self.n} answers: {verdict}{cut}"


def check_reference(out: Path, profile: Profile, *, answers: Path | None = None) -> ReferenceCheck:
    """Recompute the reference metrics stored in *out*.

    Args:
        out: Result folder.
        profile: The settings the run had; those of its [reference] table count.
        answers: The run's input, whose references are compared; `answers.jsonl` in the folder by default.

    Raises:
        InputError: A file is missing, or no answer has references.
        ValueError: The run did not take the study's tokens (`ptb`) or the best of several references.
    """
    source = answers or out / "answers.jsonl"
    if not source.is_file():
        raise InputError(
            f"{source}: no such file; scores do not hold the references, name the run's input with --answers FILE",
            kind="missing_file",
        )
    settings = profile.reference
    if settings.get("tokenizer", "ptb") != "ptb" or settings.get("multi_reference", "best") != "best":
        raise ValueError("the check is for runs with tokenizer = 'ptb' and multi_reference = 'best'")
    model = settings.get("bertscore_model", "fas-encoder-mini")
    layer = settings.get("bertscore_layer") or default_layer(model)
    scorer = PackageScorer(bleu_method=settings.get("bleu_method", 1), model=model, layer=layer)
    given = {item.id: item for item in read_answers(source) if not isinstance(item, BadLine)}
    largest, where = dict.fromkeys(METRICS, math.nan), {}
    n = n_cut = 0
    for _, record in json_lines(scores_path(out)):
        answer = given.get(str(record.get("id")))
        if record.get("error") is not None or answer is None or not answer.references:
            continue
        n += 1
        theirs = scorer.score(answer.prediction, answer.references)
        n_cut += theirs.cut
        for name in METRICS:
            ours = record.get(name)
            if ours is None or (name == "bertscore_f1" and theirs.cut):
                continue
            difference = abs(ours - getattr(theirs, name))
            if not difference <= largest[name]:
                largest[name], where[name] = difference, answer.id
    if not n:
        raise InputError(f"{out}: no scored answer has references in {source}", kind="nothing_in_common")
    return ReferenceCheck(n, n_cut, largest, where)

"""The labelled verdicts: claims of real answers against their passages, and contrast claims written beside passages.

`cases.jsonl.gz` holds claims that a run of `fas score` took from real answers, each with the passages it was judged
against and the label that people read; `contrast.jsonl.gz` holds claims written for a passage, with the label they were
written to have. `CODEBOOK.md` defines the labels: S supported, C contradicted, N not settled.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

HERE = Path(__file__).parent
CASES, CONTRAST = "cases.jsonl.gz", "contrast.jsonl.gz"
HELD_OUT = 0.2
"""Share of the questions whose cases train no weights; calibration and measurement use them alone."""

Label = Literal["S", "N", "C"]
LABELS: tuple[Label, ...] = ("S", "N", "C")


class LabelledPair(NamedTuple):
    """One passage and one claim with the label that the passage gives the claim."""

    passage: str
    claim: str
    label: Label
    kind: Literal["case", "contrast"]
    weight: float = 1.0


def is_held_out(question: str) -> bool:
    """Whether cases of *question* are kept from training: decided by a hash, so that it never changes."""
    digest = hashlib.sha256(question.strip().lower().encode()).hexdigest()
    return int(digest[:8], 16) / 2**32 < HELD_OUT


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a gzipped JSON Lines file whose texts are in it.

    Texts that may not be redistributed are left out of the file: of such a row the label and the id remain.
    """
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from (row for row in map(json.loads, lines) if "claim" in row)


def passage_text(passage: Mapping[str, Any]) -> str:
    """A passage as the verifier reads it: title, then text."""
    return f"{passage.get('title') or ''} {passage['text']}".strip()


def training_pairs(number: int = 0, *, folder: Path = HERE) -> list[LabelledPair]:
    """The pairs that may train weights, in pass *number* over them.

    A case with S or C gives the passage that decides; one with N gives one of its first two passages, in turn, neither
    of which settles the claim. Labels that their reader was not sure of weigh half.
    """
    pairs: list[LabelledPair] = []
    for row in read_rows(folder / CASES):
        if is_held_out(row["question"]):
            continue
        weight = 1.0 if row["sure"] else 0.5
        if row["label"] == "N":
            of = row["passages"][:2]
            chosen = [of[number % len(of)]]
        else:
            chosen = [row["passages"][row["passage"] - 1]] if row["passage"] else []
        pairs += [LabelledPair(passage_text(own), row["claim"], row["label"], "case", weight) for own in chosen]
    for row in read_rows(folder / CONTRAST):
        if not is_held_out(row["question"]):
            pairs.append(LabelledPair(passage_text(row["passage"]), row["claim"], row["label"], "contrast"))
    return pairs


def held_out_cases(*, folder: Path = HERE) -> list[dict[str, Any]]:
    """The labelled cases that trained nothing, in the file's order."""
    return [row for row in read_rows(folder / CASES) if is_held_out(row["question"])]


def held_out_contrast(*, folder: Path = HERE) -> list[dict[str, Any]]:
    """The contrast claims that trained nothing, in the file's order."""
    return [row for row in read_rows(folder / CONTRAST) if is_held_out(row["question"])]

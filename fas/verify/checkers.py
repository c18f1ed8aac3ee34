"""Published checkers by name: `--verify nli --model minicheck-flan-t5`.

A checker is a checkpoint and a way to read it (`checkers.toml`): its classes, how passage and claim become its input,
how a long passage is cut, where its authors set the threshold. A two-way checker knows supported and not supported: it
never says that a passage contradicts a claim, so its P(contradict) is 0.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from fas.core.records import Passage
from fas.text.windows import Window, split_passage

KINDS = ("nli", "two classes", "tokens")
UNITS = ("token", "word", "sentence")


@dataclass(frozen=True)
class Checker:
    """A published checker; the fields are explained in `checkers.toml`."""

    name: str
    model: str
    kind: str
    labels: tuple[str, ...] | None
    input: str
    chunk: int
    unit: str
    max_length: int
    threshold: float
    citation: str

    @property
    def two_way(self) -> bool:
        """Whether it tells supported from not supported only."""
        return self.kind != "nli"


@cache
def checkers() -> Mapping[str, Checker]:
    """All of them by name."""
    return read_checkers(Path(__file__).with_name("checkers.toml"))


def read_checkers(path: Path) -> dict[str, Checker]:
    """The checkers of a file like `checkers.toml`; a ValueError where a field is missing, unknown or impossible."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: _parse_checker(name, own) for name, own in table.items()}


def _parse_checker(name: str, own: Mapping[str, Any]) -> Checker:
    try:
        labels = own.get("labels")
        found = Checker(name=name, **{**own, "labels": None if labels is None else tuple(labels)})
    except TypeError as error:
        raise ValueError(f"checker {name!r}: {error}") from error
    if found.kind not in KINDS or found.unit not in UNITS:
        raise ValueError(f"checker {name!r}: `kind` is one of {', '.join(KINDS)}, `unit` one of {', '.join(UNITS)}")
    if found.two_way and (labels is None or len(labels) != 2 or "{passage}" not in found.input):
        raise ValueError(f"checker {name!r}: a two-way checker has two `labels` and an `input` with {{passage}}")
    return found


def cut_into_chunks(passage: Passage, most: int, size: Callable[[str], int]) -> tuple[Window, ...]:
    """*passage* cut at sentence ends into pieces of at most *most*, as *size* counts; a longer sentence stands alone.

    Pieces follow one another without overlap; together they are the whole text. The title belongs to no piece.
    """
    parts = split_passage(passage)
    found: list[Window] = []
    start = end = total = 0
    own: list[int] = []
    for number, (text, span) in enumerate(zip(*parts, strict=True)):
        if span is None:
            continue
        length = size(text)
        if own and total + length > most:
            found.append(Window(passage.text[start:end], start, end, tuple(own)))
            own, total = [], 0
        if not own:
            start = span[0]
        end = span[1]
        own.append(number)
        total += length
    if own:
        found.append(Window(passage.text[start:end], start, end, tuple(own)))
    return tuple(found)

"""What keeps a policy from earning a score without answering: copied evidence, repetition, one trivial claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_GRAM = 6


def copied_share(text: str, passages: Iterable[str]) -> float:
    """Share of the words of *text* that stand in a run of six or more words copied from a passage; 0 without words.

    Case, punctuation and white space do not count. A text of fewer than six words is copied if a passage has all of it.

    >>> copied_share("Metformin lowers glucose.", ["In adults metformin lowers glucose well."])
    1.0
    >>> copied_share("It lowers sugar.", ["In adults metformin lowers glucose well."])
    0.0
    """
    words = _words(text)
    if not words:
        return 0.0
    size = min(_GRAM, len(words))
    known = {gram for passage in passages for gram in _grams(_words(passage), size)}
    covered = [False] * len(words)
    for place, gram in enumerate(_grams(words, size)):
        if gram in known:
            covered[place : place + size] = [True] * size
    return sum(covered) / len(words)


def repeated_share(text: str) -> float:
    """Share of the words of *text* that stand in a sentence said before; 0 for one that says nothing twice.

    >>> repeated_share("Yes. Yes. Yes. Yes.")
    0.75
    """
    sentences = [tuple(_words(sentence)) for sentence in re.split(r"(?<=[.!?])\s+|\n+", text)]
    sentences = [sentence for sentence in sentences if sentence]
    total = sum(map(len, sentences))
    seen: set[tuple[str, ...]] = set()
    again = 0
    for sentence in sentences:
        again += len(sentence) if sentence in seen else 0
        seen.add(sentence)
    return again / total if total else 0.0


def exceeding_share(share: float, free: float) -> float:
    """How far *share* is beyond what is *free*, from 0 (not at all) to 1 (all of what can be).

    >>> exceeding_share(0.3, 0.5), exceeding_share(0.75, 0.5), exceeding_share(1.0, 0.5)
    (0.0, 0.5, 1.0)
    """
    return 0.0 if share <= free else (share - free) / (1.0 - free)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def _grams(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[place : place + size]) for place in range(len(words) - size + 1)]

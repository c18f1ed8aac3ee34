"""Guards against scores without an answer: copied evidence, repetition, hedges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fas.core.records import Verdict
from fas.text.sentences import sentence_spans
from fas.verify.features import content_words

_RUN = 6
_HEDGE = re.compile(
    r"\b(?:perhaps|possibly|maybe|conceivably|arguably|might|may or may not|by no means certain"
    r"|(?:some|one) (?:may|could|would) (?:say|argue)"
    r"|it (?:is|may be|could be) (?:possible|conceivable|uncertain|unclear))\b",
    re.IGNORECASE,
)


def copied_share(text: str, passages: Iterable[str]) -> float:
    """Share of the words of *text* that stand in a run of six or more words copied from a passage; 0 without words.

    A run goes on over a word put in between or left out. Case, punctuation and white space do not count. A text of
    fewer than six words is copied if a passage has all of it.

    >>> copied_share("Metformin lowers glucose.", ["In adults metformin lowers glucose well."])
    1.0
    >>> copied_share("It lowers sugar.", ["In adults metformin lowers glucose well."])
    0.0
    """
    words = _words(text)
    if not words:
        return 0.0
    size = min(_RUN, len(words))
    copied = [False] * len(words)
    for passage in passages:
        places: dict[str, list[int]] = {}
        for place, word in enumerate(_words(passage)):
            places.setdefault(word, []).append(place)
        # For the last words of the text: place in the passage to the run that ends there, its length and first word.
        before: list[dict[int, tuple[int, int]]] = [{}, {}]
        for n, word in enumerate(words):
            ending = {}
            for place in places.get(word, ()):
                earlier = (runs[place - skip] for runs in before for skip in (1, 2) if place - skip in runs)
                length, first = max(earlier, key=lambda run: run[0], default=(0, n))
                ending[place] = length + 1, first
            before = [before[1], ending]
            whole = [first for length, first in ending.values() if length >= size]
            if whole:
                first = min(whole)
                copied[first : n + 1] = [True] * (n + 1 - first)
    return sum(copied) / len(words)


def repeated_share(text: str) -> float:
    """Share of the words of *text* in repeated sentences; 0 without a repetition.

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


def hedged_share(text: str) -> float:
    """Share of the sentences of *text* that retract what they say; a plain "may" or "can" does not.

    >>> hedged_share("It may cause nausea. Perhaps it helps, or perhaps not.")
    0.5
    """
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    return sum(_HEDGE.search(sentence) is not None for sentence in sentences) / len(sentences) if sentences else 0.0


def keep_distinct(verdicts: Sequence[Verdict], question: str = "") -> list[Verdict]:
    """The verified claims of an answer that say something new.

    A claim after the first says something new if more than a third of its content words are neither in the question nor
    in any single claim before it, and it is no claim before it with fewer words put in than that has.
    """
    asked = content_words(question)

    def is_new(words: frozenset[str], before: frozenset[str]) -> bool:
        restated = before <= words and len(words - before) < len(before)
        return not restated and len(words - asked - before) > len(words) / 3

    kept: list[Verdict] = []
    seen: list[frozenset[str]] = []
    for verdict in verdicts:
        words = content_words(verdict.claim.text)
        if verdict.label != "unverified" and all(is_new(words, before) for before in seen):
            kept.append(verdict)
            seen.append(words)
    return kept


def f2(right: float, told: float) -> float:
    """F-measure of precision and recall in which recall weighs twice as much (beta = 2); 0 if both are 0.

    Recall weighs more because an embedded verifier misses half of the supported claims.

    >>> f2(1.0, 0.5), f2(0.0, 0.0)
    (0.5555555555555556, 0.0)
    """
    total = 4 * right + told
    return 5 * right * told / total if total else 0.0


def exceeding_share(share: float, free: float) -> float:
    """How far *share* exceeds *free*, from 0 (not at all) to 1 (*share* is 1).

    >>> exceeding_share(0.3, 0.5), exceeding_share(0.75, 0.5), exceeding_share(1.0, 0.5)
    (0.0, 0.5, 1.0)
    """
    return 0.0 if share <= free else (share - free) / (1.0 - free)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())

"""Why a claim is unsupported: no passage is about it, a passage is related, or one part of the claim is missing.

A multinomial logistic regression over what claim and passages share, fitted on claims that people labelled with the
reason (`recipes.verifier.reasons`). A passage that only asks or is less sure than the claim is found by its words.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from fas.core.records import Passage
from fas.text.asking import is_asking
from fas.text.windows import split_passage
from fas.verify.features import content_words
from fas.verify.passage_features import nearest_sentence

Reason = Literal["off_topic", "related", "part", "hedge", "aim"]
_IN_WORDS: Mapping[Reason, tuple[str, str]] = {
    "off_topic": ("has no passage about it", "have no passage about them"),
    "related": ("has passages that state something else", "have passages that state something else"),
    "part": ("is supported in part", "are supported in part"),
    "hedge": ("is said less surely by the passages", "are said less surely by the passages"),
    "aim": ("is only asked or planned in the passages", "are only asked or planned in the passages"),
}
REASON_FEATURES = tuple("overlap overlap_sentence missing_share missing question_share claim_length p_support".split())

_HEDGE = re.compile(
    r"\b(?:may|might|could|can|suggest\w*|possibl[ey]|potential(?:ly)?|perhaps|likely|appear\w*|seem\w*|hypothe\w+)\b",
    re.I,
)
# A passage that holds nearly all of the claim's words.
_NEARLY_ALL = 0.75
_WORD = re.compile(r"\w[\w'-]*")


def describe_reasons(counts: Mapping[str, int]) -> list[tuple[int, str]]:
    """For each reason in *counts*, the number of claims and a phrase that agrees with it.

    >>> describe_reasons({"part": 1, "off_topic": 2})
    [(2, 'have no passage about them'), (1, 'is supported in part')]
    """
    return [(n, words[n > 1]) for reason, words in _IN_WORDS.items() if (n := counts.get(reason, 0))]


class Unsupported(NamedTuple):
    """Why no passage settles a claim.

    Attributes:
        reason: `off_topic` (no passage is about it), `related` (same topic, another statement), `part` (one part of the
            claim is in no passage), `hedge` (a passage is less sure than the claim) or `aim` (a passage only asks).
        missing: The content words of the claim that no passage holds, in the claim's order and spelling.
    """

    reason: Reason
    missing: tuple[str, ...]


def explain_unsupported(claim: str, passages: Sequence[Passage], question: str | None, p_support: float) -> Unsupported:
    """The reason and the missing words of an unsupported claim that was judged against at least one passage."""
    row, missing = reason_features(claim, passages, question, p_support), missing_words(claim, passages)
    if row[1] >= _NEARLY_ALL:
        sentences = [sentence for passage in passages for sentence in split_passage(passage).texts]
        nearest = sentences[nearest_sentence(content_words(claim), sentences)]
        if is_asking(nearest):
            return Unsupported("aim", missing)
        if _HEDGE.search(nearest) and not _HEDGE.search(claim) and not missing:
            return Unsupported("hedge", ())
    fitted = _load_fitted()
    x = [(value - mean) / scale for value, mean, scale in zip(row, fitted["mean"], fitted["scale"], strict=True)]
    scores = {
        reason: intercept + math.fsum(a * b for a, b in zip(own, x, strict=True))
        for reason, own, intercept in zip(fitted["reasons"], fitted["coefficients"], fitted["intercept"], strict=True)
    }
    return Unsupported(max(scores, key=scores.__getitem__), missing)


def reason_features(claim: str, passages: Sequence[Passage], question: str | None, p_support: float) -> list[float]:
    """The features of the regression, in the order of `REASON_FEATURES`."""
    words, asked = content_words(claim), content_words(question or "")
    held = [content_words(f"{passage.title or ''} {passage.text}") for passage in passages]
    anywhere = frozenset[str]().union(*held)
    sentences = [content_words(text) for passage in passages for text in split_passage(passage).texts]
    n = max(1, len(words))
    return [
        max((len(words & own) for own in held), default=0) / n,
        max((len(words & own) for own in sentences), default=0) / n,
        len(words - anywhere) / n,
        float(len(words - anywhere)),
        len(words & asked) / n,
        math.log(n),
        p_support,
    ]


def missing_words(claim: str, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The content words of *claim* that no passage holds, as they are spelled there, each once.

    >>> missing_words("Zinc shortens colds in children.", [Passage("Zinc shortened colds by a day.")])
    ('children',)
    """
    # Inflections share their beginning ("shorten", "shortened").
    held = {
        word[:length]
        for passage in passages
        for word in _WORD.findall(f"{passage.title or ''} {passage.text}".lower())
        for length in range(min(4, len(word)), len(word) + 1)
    }
    found = [word for word in _WORD.findall(claim) if any(stem not in held for stem in content_words(word))]
    return tuple(dict.fromkeys(found))


@cache
def _load_fitted() -> Mapping[str, Any]:
    content: Mapping[str, Any] = json.loads(Path(__file__).with_name("unsupported.json").read_text(encoding="utf-8"))
    return content

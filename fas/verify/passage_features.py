"""The features of the calibrated verdict of a model that reads whole passages.

The model's probabilities give the direction of a passage; the words, how much of the claim the passage is about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

from fas.verify.features import content_words, has_negation, numbers_in

FEATURES = (
    "log_p_entail",
    "log_p_neutral",
    "log_p_contradict",
    "margin",
    "overlap",
    "overlap_sentence",
    "rare_missing",
    "number_missing",
    "number_present",
    "negation_in_claim",
    "negation_differs",
    "claim_length",
    "commas",
    "passage_length",
    "p_entail",
    "p_contradict",
    "entail_where_words_are_shared",
    "contradict_where_words_are_shared",
    "entail_where_a_sentence_shares_words",
    "margin_where_a_sentence_shares_words",
    "margin_of_a_negated_claim",
    "margin_where_negation_differs",
    "question_overlap",
)

_NAME = re.compile(r"[A-Z0-9][\w-]+")
_LIST = re.compile(r"[,;]| and | or ")


class PieceReading(NamedTuple):
    """What the model said of one piece of a passage: log-probabilities of entailment, neutral and contradiction."""

    log_entail: float
    log_neutral: float
    log_contradict: float


def passage_features(
    claim: str, passage: str, sentences: Sequence[str], readings: Sequence[PieceReading], question: str | None = None
) -> list[float]:
    """The feature vector of a claim and a passage (title and text), in the order of `FEATURES`.

    *readings* are what the model said of its pieces, at least one; a *question* of None gives NaN for its feature.
    """
    loudest = max(readings, key=lambda reading: max(reading.log_entail, reading.log_contradict))
    words, held = content_words(claim), content_words(passage)
    nearest = nearest_sentence(words, sentences)
    sentence = sentences[nearest] if sentences else passage
    numbers = set(numbers_in(claim))
    missing = numbers - set(numbers_in(passage))
    # A claim's first word has its capital from the sentence.
    names = {word.lower() for word in _NAME.findall(claim.partition(" ")[2]) if not word.isdigit()}
    lower = passage.lower()
    entail = max(reading.log_entail for reading in readings)
    contradict = max(reading.log_contradict for reading in readings)
    margin = loudest.log_entail - loudest.log_contradict
    shared, shared_at_once = _share(words & held, words), _share(words & content_words(sentence), words)
    is_negated, differs = float(has_negation(claim)), float(has_negation(claim) != has_negation(sentence))
    return [
        entail,
        min(reading.log_neutral for reading in readings),
        contradict,
        margin,
        shared,
        shared_at_once,
        sum(name not in lower for name in names) / len(names) if names else 0.0,
        len(missing) / len(numbers) if numbers else 0.0,
        float(bool(numbers) and not missing),
        is_negated,
        differs,
        math.log1p(len(claim.split())),
        math.log1p(len(_LIST.findall(claim))),
        math.log1p(len(passage.split())),
        math.exp(entail),
        math.exp(contradict),
        entail * shared,
        contradict * shared,
        entail * shared_at_once,
        margin * shared_at_once,
        margin * is_negated,
        margin * differs,
        math.nan if question is None else _share(words & content_words(question), words),
    ]


def nearest_sentence(words: frozenset[str], sentences: Sequence[str]) -> int:
    """The position of the sentence that shares most of a claim's content *words*; the later one of equals.

    Authors say at the end what they found. 0 without sentences.
    """
    shared = [len(words & content_words(sentence)) for sentence in sentences]
    return max(range(len(shared)), key=lambda i: (shared[i], i), default=0)


def _share(found: frozenset[str], wanted: frozenset[str]) -> float:
    return len(found) / len(wanted) if wanted else 0.0

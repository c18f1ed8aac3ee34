"""What the calibrated verdict of the embedded model looks at, besides the NLI probabilities.

The encoder's cosine says whether a passage speaks of the claim at all; the NLI model which way
it points; numbers and negation catch what a small model overlooks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

FEATURES = (
    "cosine",
    "cosine_second",
    "log_p_entail",
    "log_p_contradict",
    "log_p_neutral",
    "margin_nearest",
    "overlap",
    "overlap_passage",
    "number_missing",
    "number_present",
    "negation_differs",
    "direction_agrees",
    "direction_differs",
    "margin_where_direction_agrees",
)

_WORD = re.compile(r"[a-z][a-z-]{2,}|\d+(?:[.,]\d+)*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|neither|nor|without|cannot|lack(?:s|ed|ing)?|fail(?:s|ed)? to|absence of|unlikely|"
    r"ineffective|contraindicated|avoid(?:s|ed)?)\b|n['’]t\b"
)
_DIRECTIONS = {
    "up": re.compile(
        r"\b(?:increas\w*|rais(?:e|es|ed|ing)|ris(?:e|es|ing|en)|rose|elevat\w*|higher|greater|more|grow(?:s|n|ing|th)?|grew|"
        r"gain(?:s|ed|ing)?|worse\w*|aggravat\w*|promot(?:e|es|ed|ing)|enhanc\w*|exceed\w*|doubl(?:e|es|ed|ing)|augment\w*)\b"
    ),
    "down": re.compile(
        r"\b(?:decreas\w*|reduc\w*|lower(?:s|ed|ing)?|fall(?:s|en|ing)?|fell|less|fewer|declin\w*|diminish\w*|drop\w*|"
        r"attenuat\w*|inhibit\w*|suppress\w*|prevent(?:s|ed|ing|ion)?|shorten\w*|halv(?:e|es|ed|ing)|smaller|protect\w*)\b"
    ),
}
# Of two groups that are compared, "less with A than with B" says the same as "more with B than with A".
_COMPARES = re.compile(r"\b(?:than|versus|vs|(?:compared|comparison|relative|superior|inferior) (?:to|with))\b")
_STOP = frozenset(
    """
    the and for with that this are was were has have had been being from into than then their its his her our your
    you they them which who whom whose what when where while also can may might could should would will shall must
    not nor but such these those there here about above after before between during through over under more most
    some any each other only own same too very just does did done doing both all because until against among
    """.split()
)


class WindowReading(NamedTuple):
    """How one window relates to the claim.

    `cosine` is in [-1, 1]; the three log-probabilities are of entailment, neutral and
    contradiction.
    """

    text: str
    cosine: float
    log_entail: float
    log_neutral: float
    log_contradict: float


def features(claim: str, passage: str, readings: Sequence[WindowReading]) -> list[float]:
    """The feature vector of a claim and a passage, in the order of `FEATURES`.

    Args:
        claim: The claim's text.
        passage: The passage's text.
        readings: Its nearest windows, at least one, nearest first.
    """
    nearest = readings[0]
    words = content_words(claim)
    read = " ".join(reading.text for reading in readings)
    numbers = set(numbers_in(claim))
    missing = numbers - set(numbers_in(read))
    agrees, differs = _compare_directions(claim, nearest.text)
    return [
        nearest.cosine,
        readings[1].cosine if len(readings) > 1 else nearest.cosine,
        max(reading.log_entail for reading in readings),
        max(reading.log_contradict for reading in readings),
        min(reading.log_neutral for reading in readings),
        nearest.log_entail - nearest.log_contradict,
        _recall(words, content_words(read)),
        _recall(words, content_words(passage)),
        len(missing) / len(numbers) if numbers else 0.0,
        1.0 if numbers and not missing else 0.0,
        float(negated(claim) != negated(nearest.text)),
        float(agrees),
        float(differs),
        nearest.log_entail - nearest.log_contradict if agrees else 0.0,
    ]


def content_words(text: str) -> frozenset[str]:
    """Lower-cased words of at least three letters and numbers, crudely stemmed, without stop words."""
    return frozenset(_stem(word) for word in _WORD.findall(text.lower()) if word not in _STOP)


def negated(text: str) -> bool:
    """Whether *text* holds a word of negation or refusal."""
    return _NEGATION.search(text.lower()) is not None


def directions(text: str) -> frozenset[str]:
    """Which of `"up"` and `"down"` the words of change in *text* point to.

    >>> sorted(directions("Mortality fell, and bleeding was more frequent."))
    ['down', 'up']
    """
    lower = text.lower()
    return frozenset(name for name, pattern in _DIRECTIONS.items() if pattern.search(lower))


def _compare_directions(claim: str, window: str) -> tuple[bool, bool]:
    """Whether both speak of one and the same direction, and whether of opposite ones.

    Nothing is said where either speaks of both directions, or both compare two groups: which belongs
    to what is for the NLI model to tell.
    """
    own, other = directions(claim), directions(window)
    both_compare = _COMPARES.search(claim.lower()) and _COMPARES.search(window.lower())
    clear = len(own) == len(other) == 1 and not both_compare
    return clear and own == other, clear and own != other


def numbers_in(text: str) -> list[str]:
    """Numbers of *text* in one form: no thousands separators, no trailing zeros.

    >>> numbers_in("1,000 patients, 5.0 mg, 0.50")
    ['1000', '5', '0.5']
    """
    return [_plain(match) for match in _NUMBER.findall(text)]


def _plain(number: str) -> str:
    number = number.replace(",", "")
    return number.rstrip("0").rstrip(".") if "." in number else number


def _recall(wanted: frozenset[str], found: frozenset[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 0.0


def _stem(word: str) -> str:
    # Cutting to a prefix joins inflections ("reduce", "reduces", "reduction") well enough for a share.
    return word if word[0].isdigit() else word[: max(4, math.ceil(len(word) * 0.7))]

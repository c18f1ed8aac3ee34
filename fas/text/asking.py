"""Sentences that ask, aim or leave open: they state the aim of a study, not its finding.

"We aimed to determine whether zinc shortens colds" holds the very words of a claim, and neither supports nor
contradicts it. The words of such sentences are learned from abstracts, whose sections are labelled: a logistic
regression over phrases of one to three words, few of which have a weight (`asking.tsv`, learned by
`benchmarks.embedded_models.asking` of commit c4a5ba6, where its errors are counted).
"""

from __future__ import annotations

import math
import re
from functools import cache, lru_cache
from importlib.resources import files

_LONGEST = 3
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\?")
# Chosen on sentences that trained nothing, of which two in a thousand that state something reach it.
THRESHOLD = 0.9


def list_phrases(sentence: str) -> set[str]:
    """The phrases of one to three words of a sentence, in small letters; `^` stands before its first word.

    >>> sorted(list_phrases("Is it?"))
    ['?', '^', '^ is', '^ is it', 'is', 'is it', 'is it ?', 'it', 'it ?']
    """
    words = ["^", *_WORD.findall(sentence.lower())]
    return {" ".join(words[i : i + n]) for n in range(1, _LONGEST + 1) for i in range(len(words) - n + 1)}


def p_asking(sentence: str) -> float:
    """The probability, 0 to 1, that *sentence* asks, aims, supposes or leaves open and states no finding."""
    bias, weights = _load_model()
    return 1 / (1 + math.exp(-bias - sum(weights.get(phrase, 0.0) for phrase in sorted(list_phrases(sentence)))))


@lru_cache(maxsize=20_000)
def is_asking(sentence: str) -> bool:
    """Whether *sentence* states an aim or a question, and so supports and contradicts nothing."""
    return p_asking(sentence) >= THRESHOLD


def _read_table() -> str:
    return files("fas.text").joinpath("asking.tsv").read_text(encoding="utf-8")


@cache
def _load_model() -> tuple[float, dict[str, float]]:
    """The bias, and the weight of each phrase that has one."""
    rows = dict(line.split("\t") for line in _read_table().splitlines()[1:])
    return float(rows.pop("")), {phrase: float(weight) for phrase, weight in rows.items()}

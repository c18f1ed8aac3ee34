"""Which words are words of general English: the embedded encoder's vocabulary has some 24,000."""

from __future__ import annotations

import json
import re
from functools import lru_cache

from fas.core.loading import load_once
from fas.models.paths import model_folder

_SUFFIX = re.compile(r"(?:'s|s|es|ed|d|ing|ly|er|ers|est|ness|in|al|ful|less|able|tion|ment|y|ally|ity|ous)$")
_PREFIX = re.compile(r"^(?:anti|non|re|un|over|under|pre|post|inter|hyper|hypo|multi|self|out|dis|mis)")
# No word is longer; what is would be searched for endings for minutes.
_LONGEST = 60
_BRITISH = re.compile(r"(?<=[a-z]{3}i)s(e[sd]?|ing|ation|ations)$")


@load_once()
def _dictionary() -> frozenset[str]:
    path = model_folder("fas-encoder-mini") / "tokenizer.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in vocabulary if not word.startswith("##"))


@lru_cache(maxsize=65_536)
def is_english(word: str) -> bool:
    """Whether *word*, in lower case, or its stem is a word of general English.

    >>> is_english("dizziness"), is_english("taking"), is_english("advil")
    (True, True, False)
    """
    if len(word) > _LONGEST:
        return False
    forms = {word, _BRITISH.sub(r"z\1", word), _PREFIX.sub("", word)}
    return any(_in_dictionary(form) for form in forms)


def _in_dictionary(word: str) -> bool:
    known = _dictionary()
    if word in known:
        return True
    stem = _SUFFIX.sub("", word)
    for _ in range(3):
        forms = (stem, f"{stem}e", f"{stem}y", stem.rstrip("i") + "y", stem[:-1] if stem[-1:] == stem[-2:-1] else stem)
        if len(stem) > 2 and any(form in known for form in forms):
            return True
        shorter = _SUFFIX.sub("", stem)
        if shorter == stem:
            break
        stem = shorter
    return False

"""Which words are English words: the whole words of the embedded encoder's vocabulary and forms of them.

The vocabulary has some 24,000 words of general English. Rare medical words are missing, so that an
unknown word alone means nothing; a text half of which is unknown is not English prose.
"""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache

from fas.models.paths import model_folder

_SUFFIX = re.compile(r"(?:'s|s|es|ed|d|ing|ly|er|ers|est|ness|in|al|ful|less|able|tion|ment|y|ally|ity|ous)$")
_PREFIX = re.compile(r"^(?:anti|non|re|un|over|under|pre|post|inter|hyper|hypo|multi|self|out|dis|mis)")


@cache
def _dictionary() -> frozenset[str]:
    path = model_folder("fas-encoder-mini") / "tokenizer.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in vocabulary if not word.startswith("##"))


@lru_cache(maxsize=65_536)
def is_known(word: str) -> bool:
    """Whether *word*, in lower case, or its stem is a whole word of the embedded encoder's vocabulary.

    >>> is_known("dizziness"), is_known("taking"), is_known("ibutuporfini")
    (True, True, False)
    """
    return _in_dictionary(word) or _in_dictionary(_PREFIX.sub("", word))


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

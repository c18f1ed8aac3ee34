"""Which words are words: of general English, or of the language of medicine.

The embedded encoder's vocabulary has some 24,000 words of general English, the parser's 19,000 of the web and of
biomedical papers, the table of conditions some more. Rare medical words are missing still, so that an unknown word
alone means nothing; a text half of which is unknown is not English prose.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from fas.loading import once
from fas.models.parser import load_parser
from fas.models.paths import model_folder
from fas.safety.rules import rule_folder

_SUFFIX = re.compile(r"(?:'s|s|es|ed|d|ing|ly|er|ers|est|ness|in|al|ful|less|able|tion|ment|y|ally|ity|ous)$")
_PREFIX = re.compile(r"^(?:anti|non|re|un|over|under|pre|post|inter|hyper|hypo|multi|self|out|dis|mis)")
# No word is longer; what is would be searched for endings for minutes.
_LONGEST = 60
_BRITISH = re.compile(r"(?<=[a-z]{3}i)s(e[sd]?|ing|ation|ations)$")


@once()
def _dictionary() -> frozenset[str]:
    path = model_folder("fas-encoder-mini") / "tokenizer.json"
    vocabulary = json.loads(path.read_text(encoding="utf-8"))["model"]["vocab"]
    return frozenset(word for word in vocabulary if not word.startswith("##"))


@once()
def _of_medicine() -> frozenset[str]:
    table = (rule_folder() / "conditions.tsv").read_text(encoding="utf-8")
    return frozenset(word.lower() for word in re.findall(r"[A-Za-z]{4,}", table))


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


@lru_cache(maxsize=65_536)
def is_known(word: str) -> bool:
    """Whether *word*, in lower case, is a word of general English or of medicine.

    >>> is_known("dizziness"), is_known("triglycerides"), is_known("ibutuporfini")
    (True, True, False)
    """
    if len(word) > _LONGEST:
        return False
    return is_english(word) or word in _of_medicine() or bool(load_parser().vocab.has_vector(word))


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

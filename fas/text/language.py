"""Whether a text is in English, the only language that the embedded models read.

The parser and the NLI models were trained on English; they give some result for a text in another language, too.
The detector is py3langid (Lui and Baldwin 2012, "langid.py: An off-the-shelf language identification tool"; 4.5 MB,
numpy alone). Of 5,051 English answers, statements and names in development data it took 14 for another language, most
of them rightly (half in Hindi or Armenian), and of 556 sentences in 66 other languages it found 499. The function words
of spaCy's languages found 408 at 37 false alarms. Word pieces tell less: vocabularies hold pieces of many languages.
"""

from __future__ import annotations

import re
from typing import Any

from fas.core.loading import load_once
from fas.text.sentences import sentence_spans

_FEWEST_WORDS = 4
"""Names of drugs and genes resemble any language: fewer words in Latin letters are not tested."""
_SURE = 0.5
_READABLE = frozenset({"en", "la"})
"""Lists of diseases and bacteria pass for Latin, in which nobody answers."""
_READ = 5_000
"""Characters that are read; an answer keeps to its language."""
_LEFT_OUT = re.compile(r"(?:https?://|www\.)\S{1,2000}|[\d_]+")


UNREADABLE = "language: not in English, the only one that the embedded models read"
"""The failure of a claim, or of a sentence of an otherwise English answer, in another language."""


def is_english(text: str) -> bool:
    """Whether *text* is in English, as a whole or in half of its sentences, or has too few words to tell.

    >>> is_english("Zinc shortens colds by one day."), is_english("Zink verkürzt Erkältungen um einen Tag.")
    (True, False)
    >>> is_english("الزنك لا يقصر نزلات البرد."), is_english("S. aureus"), is_english("")
    (False, True, True)
    """
    read = text[:_READ]
    if not is_mixed(read):
        return True
    sentences = [_detect_sentence(read[start:end]) for start, end in sentence_spans(read)]
    return sentences.count(True) >= max(sentences.count(False), 1)


def is_mixed(text: str) -> bool:
    """Whether *text* is not English as a whole, so that each sentence needs a test of its own."""
    return _detect_english(text[:_READ]) is False


def is_foreign(text: str, *, mixed: bool = True) -> bool:
    """Whether *text* is in another language than English.

    The detector is wrong more often about a sentence than about an answer. Of an answer that is English as a whole, not
    *mixed*, it reads only sentences with characters beyond ASCII; of another answer the likeliest language counts.
    """
    read = text[:_READ]
    return _detect_sentence(read) is False if mixed else not read.isascii() and _detect_english(read) is False


def _detect_sentence(text: str) -> bool | None:
    """As `_detect_english`, for a sentence of an answer that is not English as a whole."""
    return _detect_english(text, fewest_words=3, sure=0.0)


def _detect_english(text: str, *, fewest_words: int = _FEWEST_WORDS, sure: float = _SURE) -> bool | None:
    """Whether *text* is in English; None where it has too few words to tell."""
    words = _LEFT_OUT.sub(" ", text)
    letters = [character for character in words if character.isalpha()]
    # Latin with its accents, and the Greek letters of receptors and units.
    foreign = sum(ord(character) > 0x24F and not "\u0370" <= character <= "\u03ff" for character in letters)
    if foreign > len(letters) / 2:
        return False
    if len(re.findall(r"[^\W\d_]{2,}", words)) < fewest_words:
        return None
    language, probability = _load_identifier().classify(words)
    return bool(language in _READABLE or probability <= sure)


@load_once()
def _load_identifier() -> Any:
    from py3langid.langid import LanguageIdentifier

    return LanguageIdentifier.from_model_file("data/model.npz.xz", norm_probs=True)

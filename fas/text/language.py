"""Whether a text is in English, the only language that the embedded models read.

The parser and the NLI models were trained on English; of a text in another language they say something all the same.
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
"""Names of drugs and genes look like any language: of fewer words in Latin letters nothing is asked."""
_SURE = 0.5
_READABLE = frozenset({"en", "la"})
"""Lists of diseases and bacteria pass for Latin, and nobody answers in it."""
_READ = 5_000
"""Characters that are read; an answer keeps to its language."""
_LEFT_OUT = re.compile(r"(?:https?://|www\.)\S{1,2000}|[\d_]+")


def is_english(text: str) -> bool:
    """Whether *text* is in English, at least half of it, or has too few words to tell.

    A text that is not English as a whole is judged by its sentences: one in Greek makes an English answer no Greek one.

    >>> is_english("Zinc shortens colds by one day."), is_english("Zink verkürzt Erkältungen um einen Tag.")
    (True, False)
    >>> is_english("الزنك لا يقصر نزلات البرد."), is_english("S. aureus"), is_english("")
    (False, True, True)
    """
    read = text[:_READ]
    if _english(read) is not False:
        return True
    judged = [(end - start, _english(read[start:end])) for start, end in sentence_spans(read)]
    lengths = {answer: sum(length for length, own in judged if own is answer) for answer in (True, False)}
    return lengths[True] >= lengths[False] > 0


def _english(text: str) -> bool | None:
    """Whether *text* is in English; None where it has too few words to tell."""
    words = _LEFT_OUT.sub(" ", text)
    letters = [character for character in words if character.isalpha()]
    # Latin with its accents, and the Greek letters of receptors and units.
    foreign = sum(ord(character) > 0x24F and not "\u0370" <= character <= "\u03ff" for character in letters)
    if foreign > len(letters) / 2:
        return False
    if len(re.findall(r"[^\W\d_]{2,}", words)) < _FEWEST_WORDS:
        return None
    language, sure = _identifier().classify(words)
    return bool(language in _READABLE or sure <= _SURE)


@load_once()
def _identifier() -> Any:
    from py3langid.langid import LanguageIdentifier

    return LanguageIdentifier.from_model_file("data/model.npz.xz", norm_probs=True)

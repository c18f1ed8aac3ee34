"""What surrounds a statement and is none: openings, attributions, questions, courtesies, talk about the answer itself.

The words are rows of `patterns/checkworthiness.tsv`. `opening` finds phrases at the head of a sentence (`It is
important to note that`, `Document [2] mentions that`); `is_talk` tells sentences that state nothing about medicine.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from fas.text.abstention import says_nothing
from fas.text.reading.mapped import Mapped
from fas.text.reading.pattern_tables import load_patterns

CHECKWORTHINESS = load_patterns(__file__)
_MOST_OPENINGS = 6
_LONGEST_FRAGMENT = 2_000


def opening(text: str) -> int:
    """Length of the phrases at the head of a sentence that add nothing to what it states."""
    done = 0
    for _ in range(_MOST_OPENINGS):
        match = CHECKWORTHINESS.opening.match(text[done:])
        if match is None or not any(map(str.isalnum, text[done + match.end() :])):
            break
        done += match.end()
    return done


def strip_asides(text: Mapped) -> Mapped:
    """The sentence without `, however,`, `(Document 2)` and the like, which hide its subject from the parser."""
    return text.sub(CHECKWORTHINESS.cited, lambda match: "").sub(CHECKWORTHINESS.aside, lambda match: " ")


def is_passed_on(prediction: str) -> bool:
    """Whether the answer passes on what a doctor said about this reader (`I spoke to your doctor`)."""
    return CHECKWORTHINESS.passed_on.search(prediction) is not None


def is_question(text: str) -> bool:
    """Whether the sentence asks."""
    return CHECKWORTHINESS.question.search(text) is not None


def is_talk(text: str) -> bool:
    """Whether the sentence is a greeting, sympathy, an offer, a disclaimer or about the answer itself."""
    return CHECKWORTHINESS.talk.search(text) is not None


def is_of_one_person(text: str) -> bool:
    """Whether the sentence tells of the writer, or of what happened to the reader, which nobody can look up."""
    return CHECKWORTHINESS.one_person.search(text) is not None


def is_worth_checking(claim: str, *, on_behalf: bool = False) -> bool:
    """Whether a finished claim states something: no talk, nobody's own story, two words that name what they tell of.

    Args:
        claim: Its text.
        on_behalf: Whether the answer passes on what a doctor said: what that doctor feels, plans and has seen is then
            a story, too; what the doctor stresses is not.
    """
    own = on_behalf and CHECKWORTHINESS.doctors_own.match(claim) is not None
    words = len(re.findall(r"\w+", claim))
    short = words < 2 or (words == 2 and CHECKWORTHINESS.pronoun.match(claim) is not None)
    return not (short or own or is_talk(claim) or is_of_one_person(claim))


def states_nothing(prediction: str, question: str) -> str:
    """Why an answer that is a fragment has no claim; empty if it may have one.

    It has no word, is an address or placeholder, refuses, or only repeats words of its question.

    >>> states_nothing("[image]", "Does zinc help?"), states_nothing("watermelon seeds", "Are watermelon seeds safe?")
    ('no statement', 'repeats the question')
    >>> states_nothing("copper", "Does zinc help?")
    ''
    """
    text = " ".join(prediction.split())
    if is_placeholder(text):
        return "no statement"
    if says_nothing(text) or (is_talk(text) and len(text.split()) < 12):
        return "no answer"
    return "repeats the question" if repeats(text, question) else ""


def is_placeholder(text: str) -> bool:
    """Whether a fragment has no word, or stands for what is missing: `[image]`, `<answer here>`, a path, `TODO`."""
    short = len(text) <= _LONGEST_FRAGMENT
    return not re.search(r"\w", text) or (short and CHECKWORTHINESS.nothing.match(text) is not None)


def repeats(text: str, question: str) -> bool:
    """Whether every word of a fragment is in the question, in any form: an echo and no choice between `A or B`."""
    said, asked = ([stem(word) for word in _words(one)] for one in (text, question))
    alternatives = re.search(r"\b(?:or|versus|vs)\b", question, re.IGNORECASE) is not None
    return set(said) <= set(asked) and not alternatives


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Porter stem of *word*."""
    found: str = _stemmer().stem(word)
    return found


@cache
def _stemmer() -> Any:
    from nltk.stem import PorterStemmer

    return PorterStemmer()


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())

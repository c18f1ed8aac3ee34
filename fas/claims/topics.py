"""What can be referred to, and what a question is about."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fas.reading.pattern_tables import patterns_of

TOPICS = patterns_of(__file__)
_NAMES_TOPIC = (
    TOPICS.asked_of,
    TOPICS.what_is,
    TOPICS.what_causes,
    TOPICS.how_to,
    TOPICS.told_about,
    TOPICS.does_it,
    TOPICS.taken,
)
_NO_SECOND = frozenset("food water milk meals meal breakfast dinner juice coffee tea caution care".split())


@dataclass(frozen=True, slots=True)
class Referent:
    """Something a later pronoun may stand for.

    Attributes:
        text: How it is named, within a sentence.
        plural: Whether a plural verb goes with it.
        person: Whether it is somebody who treats patients.
    """

    text: str
    plural: bool
    person: bool = False


def question_topic(question: str | None) -> Referent | None:
    """What a question is about, if a plain pattern names exactly one thing."""
    if not question or len(question) > 400:
        return None
    sentences = [part.strip() for part in re.split(r"(?<=[.?!])\s+", question.strip()) if part.strip()]
    asked = [part for part in sentences if part.endswith("?")] or sentences
    for sentence in asked[:1]:
        text = sentence.rstrip(" ?.!").strip()
        both = TOPICS.mixed.search(text) or TOPICS.interacting.search(text)
        if both is not None and both.group(2).lower() not in _NO_SECOND and (pair := _pair(both)):
            return pair
        for pattern in _NAMES_TOPIC:
            if match := pattern.search(text):
                name = TOPICS.circumstance.sub("", match.group(1)).strip(" ,'\"")
                name = TOPICS.how_often.sub("", name)
                fits = 0 < len(name.split()) <= 4 and not TOPICS.no_topic.search(name) and not re.search(r"\d{3}", name)
                if fits and not TOPICS.of_another.fullmatch(name):
                    return Referent(_cased(name), is_plural_name(name))
        if both := TOPICS.two.match(text):
            return _pair(both)
    return None


def _pair(both: re.Match[str]) -> Referent | None:
    if any(map(TOPICS.no_topic.search, both.groups())):
        return None
    return Referent(f"{_cased(both.group(1))} and {_cased(both.group(2))}", True)


def question_person(question: str | None) -> Referent | None:
    """Whom a question asks about by name, for `he` and `she`.

    >>> question_person("Tell me a bio of Ada Lovelace.")
    Referent(text='Ada Lovelace', plural=False, person=False)
    """
    match = TOPICS.person.search(question or "")
    return None if match is None else Referent(match.group(1).strip(" ."), False)


def _cased(name: str) -> str:
    return name if not name.isupper() or len(name) <= 6 else name.lower()


def is_plural_name(name: str) -> bool:
    """Whether a plural verb goes with a name, by its ending."""
    word = name.split()[-1].lower()
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "es disease", "betes", "itis"))

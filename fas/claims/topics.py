"""What can be referred to, and what a question is about."""

# ruff: noqa: E501 - patterns are easier to check on one line

from __future__ import annotations

import re
from dataclasses import dataclass

_NAMES_TOPIC = [
    r"\b(?:side effects?|symptoms?|signs?|causes?|treatments?|dos(?:e|es|age|ing)|uses?|diagnosis|risks?|benefits?|complications?|effects?|types?|stages?|definition|meaning|dangers?|interactions?|contraindications?|prevention|prognosis|cure) (?:of|for|with|to) (?:using |taking |having |treat )?(?:an? |the )?(.{2,60}?)$",
    r"^(?:what|who)(?: exactly)?(?:'s| is| are) (?:an? |the )?(.{2,40}?)$",
    r"^(?:so |and |but |okay |ok )?(?:what|which)(?: \w+)? (?:can |could |would |may |might )?(?:cause|causes|triggers?) (?:an? |the )?(.{2,40}?)$",
    r"^(?:how|why|when) (?:do|does|did|can|should|is|are|long|often|much|many)\b.{0,30}\b(?:treat|prevent|diagnose|cure|take|get|catch|have) (?:an? |the )?(.{2,40}?)$",
    r"\b(?:tell me|know|information|learn|details|explain)(?: \w+)?(?: more)? about (?:an? |the )?(.{2,40}?)$",
    r"^(?:can|does|do|is|are|will|could|should|has|have) (?:an? |the )?((?:[\w-]+ ){0,2}[\w-]+?) (?:cause|work|help|affect|contagious|safe|treat|dangerous|curable|hereditary|genetic|interact|increase|decrease|make|raise|lower|lead|spread|go away|hurt|come|harmful|bad|good|serious|effective|an?|used|considered|always)\b.*$",
]
_NAMES_TOPIC.append(
    r"\b(?:take|taking|use|using|stop taking|stop using|cutting|stopping|prescribed|prescribe|started|on) (?:an? |the |my |your )?(.{2,40}?)$"
)
_TOGETHER = [
    re.compile(
        r"\b(?:take|taking|use|using|mix|mixing|combine|combining)\s+([\w-]{3,}) (?:with|and|while (?:taking|on|using)) ([\w-]{3,})"
        r"(?: together| at the same time)?$",
        re.IGNORECASE,
    ),
    re.compile(
        r"^(?:does|do|can|will|could|would|may)\s+([\w-]{3,}) (?:interact|mix) with ([\w-]{3,})$", re.IGNORECASE
    ),
]
_HOW_OFTEN = re.compile(
    r"(?<!\s)\s++(?:every (?:day|night|morning|evening|week)|each (?:day|night)|daily|nightly|long[ -]term|regularly|safely|together|now|today|tonight|anymore)$",
    re.IGNORECASE,
)
_NO_SECOND = frozenset("food water milk meals meal breakfast dinner juice coffee tea caution care".split())
# "What are the symptoms of it?" is about what has them.
_OF_ANOTHER = re.compile(
    r"\b(?:symptom|sign|effect|cause|treatment|diagnosis|complication|prognosis|prevention|risk)s?\b", re.IGNORECASE
)
_TWO = re.compile(r"^(?:do|are|can|will|should|could|did)\s+([\w-]{3,}) and ([\w-]{3,})\s+\w+", re.IGNORECASE)
_NOT_A_TOPIC = re.compile(
    r"\b(?:i|me|my|you|your|it|this|that|these|those|he|she|they|we|us|and|or|if|when|what|how|why|which|who|is|are|was|were|do|does|can|"
    r"should|would|will|have|has|had|be|been|take|taking|get|go|going|best|good|difference|between|someone|there|thing|reason|way|people|"
    r"normal|treat|used|up|down|out|off|the|a|an|after|before|because|while|doctor|to|from|but|not|so|much|many|long|also)\b",
    re.IGNORECASE,
)


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
        both = next((match for pattern in _TOGETHER if (match := pattern.search(text))), None)
        if (
            both is not None
            and both.group(2).lower() not in _NO_SECOND
            and not any(map(_NOT_A_TOPIC.search, both.groups()))
        ):
            return Referent(f"{_cased(both.group(1))} and {_cased(both.group(2))}", True)
        for pattern in _NAMES_TOPIC:
            match = re.search(pattern, text, re.IGNORECASE)
            if match:
                name = re.sub(
                    r"(?<!\s)\s++(?:in|on|for|during|with|at|by|of a|if|when|while)\b.*$", "", match.group(1)
                ).strip(" ,'\"")
                name = _HOW_OFTEN.sub("", name)
                fits = 0 < len(name.split()) <= 4 and not _NOT_A_TOPIC.search(name) and not re.search(r"\d{3}", name)
                if fits and not _OF_ANOTHER.fullmatch(name):
                    return Referent(_cased(name), is_plural_name(name))
        both = _TWO.match(text)
        if both is not None and not any(_NOT_A_TOPIC.search(name) for name in both.groups()):
            return Referent(f"{_cased(both.group(1))} and {_cased(both.group(2))}", True)
    return None


_NAMES_PERSON = re.compile(r"\b(?:bio(?:graphy)? of|who(?: is|'s| was)) ((?:[A-Z][\w.'-]*\s?){1,5})", re.UNICODE)


def question_person(question: str | None) -> Referent | None:
    """Whom a question asks about by name, for `he` and `she`.

    >>> question_person("Tell me a bio of Ada Lovelace.")
    Referent(text='Ada Lovelace', plural=False, person=False)
    """
    match = _NAMES_PERSON.search(question or "")
    return None if match is None else Referent(match.group(1).strip(" ."), False)


def _cased(name: str) -> str:
    return name if not name.isupper() or len(name) <= 6 else name.lower()


def is_plural_name(name: str) -> bool:
    """Whether a plural verb goes with a name, by its ending."""
    word = name.split()[-1].lower()
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "es disease", "betes", "itis"))

"""Statements put without `we` and `you`: `you` are patients, `your doctor` is a doctor."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

from fas.claims.clause import CLAUSE, Clause, Word
from fas.reading.trees import Token

_BEFORE_OBJECTS = frozenset(
    "help helps helping helped let lets make makes making for with to of from on at by against about".split()
)
_A_PATIENTS = "a patient's"
# What no two readers share; "the" would point at one that was spoken of.
_OF_A_CASE = frozenset(
    "symptom condition concern situation case need history circumstance period anxiety risk age lifestyle preference diagnosis "
    "health result question weight mood diet report medication case partner mother father mom dad son daughter child baby wife husband "
    "brother sister niece nephew grandmother grandfather friend test scan rash pain cough".split()
)


def impersonal(words: list[Word], clause: Clause) -> list[Word]:
    """`you` becomes patients, `your doctor` a doctor, `your liver` the liver."""
    tokens = clause.sentence.tokens
    named = any(word.text.lower() in {"patients", "people"} for word in words)
    result: list[Word] = []
    for number, word in enumerate(words):
        lower = word.text.lower()
        following = words[number + 1].text if number + 1 < len(words) else ""
        if number and word.text[:1].isupper() and words[number - 1].text[:1].isupper():
            result.append(word)  # "Attention Is All You Need": a title's word
        elif lower == "you":
            before = words[number - 1].text.lower() if number else ""
            subject = word.at is not None and tokens[word.at].dep.startswith("nsubj") and before not in _BEFORE_OBJECTS
            text = ("they" if subject else "them") if named else "patients"
            named = True
            result.append(Word(text, word.at))
        elif lower in {"your", "ur"}:
            owner = _owner(words, number, following, named, tokens)
            named = named or owner == _A_PATIENTS
            result.append(Word(owner, word.at))
        elif lower in {"yourself", "yourselves"}:
            result.append(Word("themselves" if named else "oneself", word.at))
        elif word.text in {"we", "We", "us"}:
            result.append(Word("people", word.at))
        elif lower == "our":
            result.append(Word("the", word.at))
        elif (
            lower in {"'re", "’re"}
            and result
            and result[-1].text.lower() not in {"you", "we", "there", "these", "those"}
        ):
            result.append(Word("are", None))
        elif lower in {"'ve", "’ve"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("have", None))
        elif lower in {"'ll", "’ll"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("will", None))
        elif lower in {"'d", "’d"} and result and result[-1].text in {"patients", "they", "people"}:
            result.append(Word("would", None))
        else:
            result.append(word)
    return result


def _owner(words: list[Word], number: int, following: str, addressed: bool, tokens: list[Token]) -> str:
    place = words[number].at
    head = tokens[tokens[place].head] if place is not None else None
    noun = head.text if head is not None else following
    if CLAUSE.practitioner.search(following) or (
        CLAUSE.practitioner.search(noun) and not (head is not None and head.tag == "NNS")
    ):
        return "an" if following[:1].lower() in "aeio" else "a"
    if addressed:
        return "their"
    lemma = head.lemma if head is not None else following.lower()
    return _A_PATIENTS if lemma in _OF_A_CASE else "the"

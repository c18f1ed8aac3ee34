"""SELF_CONTRADICTION: a drug recommended and, under the same conditions, forbidden."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.reading.pattern_tables import patterns_of
from fas.records import Flag
from fas.safety.case import Case
from fas.safety.facts import find_conditions
from fas.safety.reading import Statement

CONTRADICTIONS = patterns_of(__file__)


_EMPTY = frozenset(
    "kind kinds sort type of such have has are being who with for against while during the your you his her this that "
    "and all any an it".split()
)


def contradictions(case: Case, flags: Sequence[Flag]) -> list[Flag]:
    """One flag for each drug that the answer both advises and forbids; *flags* are those raised already."""
    taken = {flag.drug for flag in flags if flag.status == "inconsistent"}
    found = []
    for statement in case.positive:
        if statement.directive.in_entry:
            continue  # it says for whom, and tells nobody to take it
        drug = statement.mention.lead
        mention = statement.mention
        if not _is_told(case, statement) or drug in taken or mention.pronoun or mention.class_key:
            continue
        for other in case.negative:
            if (
                other.mention.lead != drug
                or other.segment == statement.segment
                or other.mention.text.lower() in ("it", "them", "this")
            ):
                continue
            if _another(case, other) and not _another(case, statement):
                continue
            forbidden = _conditions_of(case, other)
            shared = {key for key in forbidden if statement.patient.has(key)}
            if _is_quoted(case, other):
                continue
            bare = (
                other.directive.bare and not forbidden and not (_qualified(case, statement) or _qualified(case, other))
            )
            if shared or bare or _meant_for_the_reader(case, statement, other) or _same_purpose(case, statement, other):
                taken.add(drug)
                target = min(shared, default=None)
                against = case.reading.text.plain[slice(*other.span)].strip()
                message = f"tells the reader to use {drug} and elsewhere not to ({against!r})"
                found.append(case.flag("SELF_CONTRADICTION", statement, drug, target, "medium", message))
                break
    return found


def _another(case: Case, statement: Statement) -> bool:
    """Whether the sentence is about somebody else than the reader."""
    return (
        CONTRADICTIONS.somebody_else.search(CONTRADICTIONS.time.sub(" ", case.reading.segments[statement.segment].text))
        is not None
    )


def _same_purpose(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the drug is forbidden for what it was advised for, in the same words and without any other limit."""
    segment = case.reading.segments[other.segment]
    tail = case.reading.text.plain[other.mention.end : segment.end]
    match = CONTRADICTIONS.purpose.match(tail)
    if match is not None and CONTRADICTIONS.limit.search(segment.text):
        return False
    if (
        match is None
        and (same := CONTRADICTIONS.if_you_have.match(tail)) is not None
        and not _qualified(case, statement)
    ):
        advised = {_stem(w) for w in re.findall(r"[a-z]{3,}", case.reading.segments[statement.segment].text.lower())}
        return {_stem(w) for w in re.findall(r"[a-z]{3,}", same["words"].lower())} - _EMPTY <= advised
    if match is None and (re.fullmatch(r"(?: at all| ever)?[\s.!\"')*]*", tail) or ":" in segment.text):
        # "People with an underactive thyroid should never take §."
        match = CONTRADICTIONS.people.search(case.reading.text.plain[segment.start : other.mention.start])
    if match is None or _qualified(case, statement):
        return False
    words = match.groupdict()
    purpose = {
        _stem(word)
        for word in re.findall(
            r"[a-z]{3,}", (words.get("words") or words.get("more") or words.get("other") or words["led"]).lower()
        )
    } - _EMPTY
    # What the question names is what the answer advises it for.
    given = f"{case.reading.segments[statement.segment].text} {case.reading.question}".lower()
    return bool(purpose) and purpose <= {_stem(word) for word in re.findall(r"[a-z]{3,}", given)}


def _meant_for_the_reader(case: Case, statement: Statement, other: Statement) -> bool:
    """Whether the drug is forbidden to the reader for a reason ("with your heart, no X"), not on a condition."""
    if _qualified(case, statement) or statement.directive.compatible:
        return False
    text = case.reading.segments[other.segment].text
    return CONTRADICTIONS.reader.search(text) is not None and CONTRADICTIONS.only_then.search(text) is None


def _is_told(case: Case, statement: Statement) -> bool:
    """Whether the drug is advised: in so many words, or by its amount and how often."""
    doses = case.reading.doses[statement.segment]
    return statement.directive.strength == "strong" or bool(doses.amounts and doses.frequencies)


def _is_quoted(case: Case, statement: Statement) -> bool:
    """Whether the drug stands in quotation marks: somebody else says so."""
    segment = case.reading.segments[statement.segment]
    before = case.reading.text.plain[segment.start : statement.mention.start]
    return before.count('"') % 2 == 1


def _is_combination(case: Case, statement: Statement) -> bool:
    return "combin" in case.reading.segments[statement.segment].text.lower()


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|s|e)$", "", word)


def _conditions_of(case: Case, statement: Statement) -> set[str]:
    segment = case.reading.segments[statement.segment]
    return {key for key, _, _ in find_conditions(segment.text, case.book.conditions)}


def _qualified(case: Case, statement: Statement) -> bool:
    text = case.reading.segments[statement.segment].text
    return bool(re.search(r"\b(?:if|unless|when|until|only)\b", text, re.IGNORECASE))

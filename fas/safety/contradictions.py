"""SELF_CONTRADICTION: a drug recommended and, under the same conditions, forbidden."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fas.records import Flag
from fas.safety.case import Case
from fas.safety.facts import find_conditions
from fas.safety.reading import Statement

_FORBIDS = re.compile(
    r"\b(?:avoid\w*|stop\w*|discontinu\w+|contra-?indicated|unsafe|dangerous|stay away|refrain|"
    r"(?:not|n't|never|cannot|nobody should)(?: \w+){0,3}? (?:take|taking|use|using|used|be|give|given|start|try|"
    r"recommend\w*|safe|suitable|appropriate|touch|an option))\b|\binstead of\b|\brather than\b|\bnever\b",
    re.IGNORECASE,
)


def contradictions(case: Case, flags: Sequence[Flag]) -> list[Flag]:
    """One flag for each drug that the answer both advises and forbids; *flags* are those raised already."""
    taken = {flag.drug for flag in flags if flag.status == "inconsistent"}
    found = []
    for statement in case.positive:
        drug = statement.mention.lead
        mention = statement.mention
        if statement.directive.strength != "strong" or drug in taken or mention.pronoun or mention.class_key:
            continue
        if statement.directive.compatible:
            continue
        for other in case.negative:
            if (
                other.mention.lead != drug
                or other.segment == statement.segment
                or other.mention.text.lower() in ("it", "them", "this")
                or not _FORBIDS.search(case.reading.text.plain[slice(*other.span)])
            ):
                continue
            forbidden = _conditions_of(case, other)
            shared = {key for key in forbidden if statement.patient.has(key)}
            bare = other.directive.bare and not forbidden and not _qualified(case, statement)
            if shared or bare:
                taken.add(drug)
                target = min(shared, default=None)
                against = case.reading.text.plain[slice(*other.span)].strip()
                message = f"tells the reader to use {drug} and elsewhere not to ({against!r})"
                found.append(case.flag("SELF_CONTRADICTION", statement, drug, target, "medium", message))
                break
    return found


def _conditions_of(case: Case, statement: Statement) -> set[str]:
    segment = case.reading.segments[statement.segment]
    return {key for key, _, _ in find_conditions(segment.text, case.book.conditions)}


def _qualified(case: Case, statement: Statement) -> bool:
    text = case.reading.segments[statement.segment].text
    return bool(re.search(r"\b(?:if|unless|when|until|only)\b", text, re.IGNORECASE))

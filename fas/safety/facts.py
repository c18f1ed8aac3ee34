"""Conditions and measurements named in a text, and whether they are stated of somebody."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fas.safety.rules import Condition

DENIED = re.compile(
    r"\b(?:not|n't|never|no|without|denies|deny|negative for|free of|neither|nor|ruled out|"
    r"rather than|stopped being|isn't|wasn't|don't have|unlikely)\b"
    r"(?:\s+(?!but\b|and\b|now\b|because\b|if\b)[\w'/-]+){0,6}\s*$",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(
    r"^\W*(?:test\s+)?(?:is|was|were|came back|has been|have been)\s+(?:negative|ruled out|excluded|"
    r"normal)\b|^\W*(?:test|screen)\w*\b",
    re.IGNORECASE,
)
_NOT_A_FACT = re.compile(
    r"\b(?:caus(?:e|es|ing|ed)|leads? to|risk (?:of|for)|risks?|prevent(?:s|ing|ion)?(?: of| from)?|"
    r"induc\w+|result in|avoid|worr(?:y|ied) about|afraid of|"
    r"scared of|test(?:ed|ing)? for|screen\w* for|could (?:it|this) be|might be|is it|is this|"
    r"possible|suspect\w*|signs? of|symptoms? of|"
    r"difference between|hoping to|before (?:getting|becoming)|if (?:i|she|he|you|we)(?: \w+){0,2}|"
    r"plan(?:ning)? to(?: \w+)?|in case of|what is|what are|"
    r"what causes|define|vaccine|increase\w*|chance of|there (?:can|could|may|might|would) be|"
    r"(?:can|could|may|might) there be|"
    r"get|getting|become|becoming|"
    r"protect\w*(?: against)?|develop(?:ing)?|does|do)\s*(?:\w+\s+){0,3}$",
    re.IGNORECASE,
)
_CLAUSE_END = re.compile(
    r"[.;!?\n]|,\s*(?=(?:but|and|however|so|because|i|my|she|he|can|could|is|what|which|should)\b)|\bbut\b|\bhowever\b",
    re.IGNORECASE,
)

_MEASURES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    (
        "egfr",
        re.compile(
            r"\b(?:e?GFR|CrCl|creatinine clearance|"
            r"kidney function)[^\d.;]{0,25}(?P<n>\d{1,3}(?:\.\d)?)(?!\s*(?:weeks|years|mg\b))",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",
        re.compile(
            r"\b(?P<n>\d{1,2})(?:\s*\+\s*\d)?[ -]*(?:weeks?|wks?)[ -]*(?:pregnant|gestation|along|"
            r"of (?:pregnancy|gestation)|into (?:my|her|the) pregnancy)",
            re.I,
        ),
        1.0,
    ),
    ("gestation_weeks", re.compile(r"\bpregnan\w+[^\d.;?]{0,20}(?P<n>\d{1,2})[ -]*(?:weeks?|wks?)", re.I), 1.0),
    ("gestation_weeks", re.compile(r"\b(?P<n>\d{1,2})[ -]*months?[ -]*(?:pregnant|along|of pregnancy)", re.I), 4.345),
    (
        "age_years",
        re.compile(
            r"\b(?P<n>\d{1,3})[ -]?(?:years?|yrs?|y/?o|yo)\b(?:[ -]*(?:old|of age|/o))?(?!\s*(?:ago|history|"
            r"supply|later|now))",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",
        re.compile(
            r"\b(?:aged?|turned|turning|i am|i'm|he is|he's|she is|she's|(?:son|daughter|child|kid|"
            r"baby|boy|girl|wife|husband|mother|mom|father|dad|grandmother|grandfather|brother|"
            r"sister) is) (?P<n>\d{1,3})(?!\s*(?:weeks|months|"
            r"mg|days|kg|lb|pounds|%|\.\d|years|feet|cm))\b",
            re.I,
        ),
        1.0,
    ),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?(?:months?|mos?)[ -]old\b", re.I), 1 / 12),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?(?:weeks?|wks?)[ -]old\b", re.I), 1 / 52),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?days?[ -]old\b", re.I), 1 / 365),
    (
        "potassium",
        re.compile(r"\bpotassium[^\d.;]{0,20}(?P<n>\d(?:\.\d+)?)(?!\d|\s*(?:mg|g\b|meq daily|tablets))", re.I),
        1.0,
    ),
    ("qtc", re.compile(r"\bQTc?[^\d.;]{0,20}(?P<n>[345]\d\d)\b", re.I), 1.0),
    ("weight_kg", re.compile(r"\b(?P<n>\d{1,3}(?:\.\d)?) ?kg\b(?!\s*/)", re.I), 1.0),
    ("weight_kg", re.compile(r"\b(?P<n>\d{2,3}) ?(?:lbs?|pounds)\b", re.I), 0.4536),
)


def find_conditions(plain: str, conditions: Mapping[str, Condition]) -> list[tuple[str, int, int]]:
    """Every condition named in *plain*: key, start and end, in the order of the text."""
    found = []
    for condition in conditions.values():
        for pattern in condition.patterns:
            found += [(condition.key, match.start(), match.end()) for match in pattern.finditer(plain)]
    return sorted(found, key=lambda item: (item[1], item[0]))


def find_measures(plain: str) -> list[tuple[str, float, int, int]]:
    """Every measurement in *plain*: name, value, start and end."""
    found = []
    for name, pattern, factor in _MEASURES:
        for match in pattern.finditer(plain):
            found.append((name, float(match["n"]) * factor, match.start(), match.end()))
    return found


def denied(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is denied, only feared, or not a statement about anyone."""
    opening = clause_start(plain, start)
    before, after = plain[opening:start], plain[end : end + 40]
    if DENIED.search(before) and not re.search(
        r"\bnot only\b|\bcan(?:no|')t\b|\bshould not\b|\bwhy not\b|\bnot sure\b", before, re.IGNORECASE
    ):
        return True
    return bool(_DENIED_AFTER.search(after) or _NOT_A_FACT.search(before))


def clause_start(plain: str, at: int) -> int:
    """Where the clause that holds *at* begins."""
    ends = [match.end() for match in _CLAUSE_END.finditer(plain, 0, at)]
    return ends[-1] if ends else 0


def clause_close(plain: str, at: int) -> int:
    """Where the clause that holds *at* ends."""
    match = _CLAUSE_END.search(plain, at)
    return match.start() if match else len(plain)


def clause(plain: str, at: int) -> str:
    """The clause that holds *at*."""
    return plain[clause_start(plain, at) : clause_close(plain, at)].strip()

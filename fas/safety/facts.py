"""Conditions named in a text, and whether they are stated of somebody."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from re import _parser as parser
from typing import Any

from fas.safety.rules import Condition
from fas.text.reading.cues import load_cues
from fas.text.reading.pattern_tables import load_patterns

_NO_FACT = frozenset({"denied", "others", "unreal"})
_AFTER = 60  # characters behind a condition in which it may be taken back

PASSING = frozenset(
    "uncontrolled_hypertension hyperthyroidism "
    "active_bleeding active_peptic_ulcer acute_myocardial_infarction acute_liver_failure acute_severe_asthma "
    "decompensated_heart_failure cardiogenic_shock metabolic_acidosis diabetic_ketoacidosis hyperkalemia hypokalemia "
    "hyponatremia hypocalcemia hypercalcemia hypoglycemia active_infection active_tuberculosis volume_depletion "
    "urinary_retention gi_obstruction anuria viral_infection".split()
)
FACTS = load_patterns(__file__)

_LEAST = 3
"""Characters of a word that is looked for before the expression that it stands in."""
LONGEST_CLAUSE = 1000
"""Characters to each side of a place that may belong to its clause; what goes on longer has no clauses."""


_KEPT = 64
_found: dict[str, tuple[Mapping[str, Condition], tuple[tuple[str, int, int], ...]]] = {}


def find_conditions(plain: str, conditions: Mapping[str, Condition]) -> list[tuple[str, int, int]]:
    """Every condition named in *plain*: key, start and end, in the order of the text."""
    # A sentence is asked of each of its drugs; what was found is kept with the table it was found by.
    kept = _found.get(plain)
    if kept is not None and kept[0] is conditions:
        return list(kept[1])
    found = []
    lower = plain.lower()
    for condition in conditions.values():
        for pattern in condition.patterns:
            needs = words_of(pattern)
            if needs is None or any(word in lower for word in needs):
                found += [(condition.key, match.start(), match.end()) for match in pattern.finditer(plain)]
    found.sort(key=lambda item: (item[1], item[0]))
    if len(_found) >= _KEPT:
        _found.clear()
    _found[plain] = (conditions, tuple(found))
    return found


@cache
def words_of(pattern: re.Pattern[str]) -> frozenset[str] | None:
    """Words, in lower case, of which every match of *pattern* holds one; None where there are none to be found.

    To look for them first is ten times as fast as to try hundreds of expressions at every character.
    """
    return _needed(parser.parse(pattern.pattern, pattern.flags))


def _needed(parsed: Iterable[tuple[Any, Any]]) -> frozenset[str] | None:
    found: list[frozenset[str]] = []
    run = ""
    for kind, value in [*parsed, (None, None)]:
        if kind is parser.LITERAL:
            run += chr(value).lower()
            continue
        if len(run) >= _LEAST:
            found.append(frozenset({run}))
        run = ""
        inside: frozenset[str] | None = None
        if kind is parser.SUBPATTERN or (
            kind in (parser.MAX_REPEAT, parser.MIN_REPEAT, parser.POSSESSIVE_REPEAT) and value[0] > 0
        ):
            inside = _needed(value[-1])
        elif kind is parser.BRANCH:
            own = [_needed(branch) for branch in value[1]]
            inside = frozenset().union(*(n for n in own if n)) if all(own) else None
        if inside:
            found.append(inside)
    # Of several, those that are rarest: the longest.
    return max(found, key=lambda words: min(map(len, words)), default=None)


def is_denied(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is denied, only feared, or not a statement about anyone."""
    opening = clause_start(plain, start)
    return not _NO_FACT.isdisjoint(load_cues().about("condition", plain, start, end, first=opening, last=end + _AFTER))


def is_denied_at(plain: str, at: int, *, first: int = 0) -> bool:
    """Whether what stands between *first* and *at* denies what begins at *at*."""
    return "denied" in load_cues().about("condition", plain, at, at, first=first, last=at)


def is_over(plain: str, key: str, start: int, end: int) -> bool:
    """Whether *key*, an illness that passes, is told as one of the past ("bleeding ulcer in 2015, healed")."""
    if key not in PASSING:
        return False
    said = load_cues().about("condition", plain, start, end, last=end + 2 * _AFTER)
    return "over" in said or ("long ago" in said and "still so" not in said)


def is_taken_back(plain: str, start: int, end: int) -> bool:
    """Whether what stands at *start* is corrected at once ("asthma - no, scrap that, eczema")."""
    return "taken back" in load_cues().about("condition", plain, start, end, first=end)


def is_heard(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* was read or heard of in general."""
    return "heard" in load_cues().about("condition", plain, start, end, first=clause_start(plain, start), last=start)


def is_of_family(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is told of the patient's family."""
    first, last = clause_start(plain, start), clause_close(plain, end)
    return "family" in load_cues().about("condition", plain, start, end, first=first, last=last)


def clause_start(plain: str, at: int) -> int:
    """Where the clause that holds *at* begins; no farther before it than `LONGEST_CLAUSE`."""
    nearest = max(0, at - LONGEST_CLAUSE)
    ends = [match.end() for match in FACTS.clause_end.finditer(plain, nearest, at)]
    return ends[-1] if ends else nearest


def clause_close(plain: str, at: int) -> int:
    """Where the clause that holds *at* ends; no farther behind it than `LONGEST_CLAUSE`."""
    match = FACTS.clause_end.search(plain, at, at + LONGEST_CLAUSE)
    return match.start() if match else min(len(plain), at + LONGEST_CLAUSE)


def clause(plain: str, at: int) -> str:
    """The clause that holds *at*."""
    return plain[clause_start(plain, at) : clause_close(plain, at)].strip()

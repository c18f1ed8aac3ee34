"""The daily amount of a drug: from amounts, counts of tablets, times of the day, and sums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from fas.safety.amounts import Owned, is_tablet
from fas.safety.doses import find_doses
from fas.safety.matcher import Mention
from fas.safety.relations import RelationReading

_PIECES = frozenset({"tablet", "tab", "capsule", "cap", "caplet", "pill", "softgel", "gelcap", "dose"})
_TIME = (
    r"(?:(?:\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\.?|o'clock)|noon|midday|midnight|breakfast|lunch(?:time)?|dinner(?:time)?|"
    r"supper(?:time)?|bed(?:time)?|(?:mid-?)?morning|(?:mid-?)?afternoon|evening|night|teatime|waking)\b)"
)
_LINK = (
    r"(?:[\s,/&+]++|and\b|with\b|at\b|in\b|before\b|after\b|on\b|the\b|your\b|his\b|her\b|"
    r"each\b|every\b|again\b|another\b|then\b|also\b|a\b|second\b|third\b|"
    r"(?:the )?(?:last|other)\b)"
)
_TIMES = re.compile(rf"{_TIME}(?:{_LINK}{{1,14}}{_TIME})+", re.IGNORECASE)
_ONE_TIME = re.compile(_TIME, re.IGNORECASE)
_ONLY_A_TIME = re.compile(rf"[\s*_\d.()-]*(?:at |with |before |after |in the |on )?{_TIME}[\s*_.,;:]*", re.IGNORECASE)
_OPENS_WITH_TIME = re.compile(rf"[\s*_|>\d.)-]*(?:with |at |before |after |in the |on )?{_TIME}", re.IGNORECASE)
_AGAIN = re.compile(
    r"\b(?:second|another|additional|extra|(?:one|two) more|a further|plus|on top|repeat(?:ed)?|again)\b", re.IGNORECASE
)
_TITRATES = re.compile(
    r"\b(?:weeks? \d|week|then (?:increase|go|raise)|increase|raise|titrat\w+|step|if (?:needed|"
    r"that|it)|after (?:a|one|two|\d))\b",
    re.IGNORECASE,
)
_IN_A_DAY = re.compile(
    r"\W{0,3}(?:\([^)]*\) ?)?(?:(?!times|doses|once|twice|every)\w+ ){0,2}?(?:in|within|per|over|"
    r"during|each|every|a|any|/) ?(?:a |any |each |one )?(?:single )?(?:24[- ]?(?:hours?|h\b)|day)",
    re.IGNORECASE,
)
_DAILY_BEFORE = re.compile(
    r"\b(?:daily (?:dose|dosage|amount|total|maximum|limit)|(?:total|maximum|limit|most) (?:of|is|"
    r"in a day)|a day's total|per day|in a day|in 24 hours)\b[^.;]{0,40}$",
    re.IGNORECASE,
)
_DIVIDED = re.compile(r"[^.;]{0,20}\b(?:divided|split|in (?:two|three|four|\d) (?:doses|portions))\b", re.IGNORECASE)
_SO = re.compile(
    r"\b(?:times?|daily|day|hours|doses)\b[^.;\d]{0,12}\b(?:so|that(?:'s| is)|makes?|making|"
    r"total(?:s|ing)?|comes to)\s+"
    r"(?:about |up to |a total of )?$",
    re.IGNORECASE,
)
_BEFOREHAND = re.compile(r"\s*(?:before|prior|ahead|after|later|earlier)", re.IGNORECASE)
_COURSE = re.compile(
    r"[^.;,]{0,12}\b(?:over|for|in) (?:the|a) (?:whole |entire )?(?:course|week|month)\b", re.IGNORECASE
)
_BRACKET = re.compile(r"\s*(?:\w+ ){0,3}[(=]\s*(?:that is |i\.e\.,? |about |a total of |total )?", re.IGNORECASE)
_MEAL = re.compile(
    r"\b(?:with|at|after|before) (?:each|every|all|the three|three) (?:of your )?(?:main )?meals?\b", re.IGNORECASE
)
_NAMED_STRENGTH = re.compile(
    r"[\s-]+(\d{1,4}(?:\.\d+)?)\b(?! ?(?:times|years?|days?|weeks?|months?|hours?|%|/|x\b|mcg|ml))"
)
_MOST_TABLETS = 40
ODD_ROUTES = frozenset("ophthalmic otic nasal inhaled topical transdermal rectal vaginal intravenous injection".split())
"""Routes whose amounts are none of a tablet by mouth."""


@dataclass(frozen=True, slots=True)
class Intake:
    """An amount to be taken, with its daily total.

    Attributes:
        drug: The ingredient.
        segment: Where it stands.
        start: First character, in the segment.
        end: One past the last.
        mg: Milligrams at a time, or of the whole day for a sum.
        per_day: How often a day; None where nothing says.
        weekly: By the week.
        per_kg: Milligrams are those of each kilogram.
        is_max: Told as the most allowed.
        how: How the daily total was found.
        units: For an amount in units, how many.
    """

    drug: str
    segment: int
    start: int
    end: int
    mg: float
    per_day: float | None
    weekly: bool = False
    per_kg: bool = False
    is_max: bool = False
    how: str = "plain"
    units: float | None = None

    @property
    def daily(self) -> float | None:
        """Milligrams a day; None where nothing says how often."""
        return None if self.per_day is None else self.mg * self.per_day


def find_intakes(reading: RelationReading) -> list[Intake]:
    """Every amount of a known drug with its daily total, and sums over the times of a day."""
    strengths = _find_strengths(reading)
    single: list[Intake] = []
    for owned in _drop_restated(reading):
        if len(owned.drugs) != 1:
            continue
        (drug,) = owned.drugs
        made = _make_intake(reading, owned, drug, strengths.get(drug))
        if made is not None:
            single.append(made)
    return [*single, *_add_up(reading, single)]


def _make_intake(reading: RelationReading, owned: Owned, drug: str, strength: float | None) -> Intake | None:
    amount, number = owned.amount, owned.segment
    text = reading.segments[number].text
    mg = amount.mg
    how = "plain"
    if mg is None and amount.unit in _PIECES and strength is not None and amount.high <= _MOST_TABLETS:
        mg, how = amount.high * strength, "tablets"
    elif amount.strength is not None:
        how = "tablets"
    units = amount.high if amount.unit == "units" else None
    if mg is None and units is None:
        return None
    if _COURSE.match(text, amount.end):
        return None
    end = amount.end
    bracket = text.find(")", end) if text[end : end + 30].lstrip().startswith("(") else -1
    close = bracket + 1 if bracket >= 0 else end
    frequency = reading.frequencies_of(number, amount.start, close)
    per_day = frequency.per_day if frequency is not None else None
    weekly = amount.per == "week" or (frequency is not None and frequency.weekly)
    times = _count_times(text, close)
    if times > 1 and (per_day is None or per_day <= 1):
        per_day, how = float(times), "times of the day"
    elif _MEAL.match(text, close + 1) or (per_day is None and _MEAL.search(text[close : close + 40])):
        per_day, how = 3.0, "meals"
    if per_day is None and (n := _count_clock_items(reading, number)) > 1:
        per_day, how = float(n), "clock times"
    if amount.per == "day" or _IN_A_DAY.match(text, close) or _DIVIDED.match(text, close):
        per_day = per_day if amount.per != "day" and frequency is not None and frequency.end <= amount.start else 1.0
        if not amount.is_max and per_day and per_day > 1 and frequency is not None and frequency.start > amount.start:
            per_day = 1.0
    elif _DAILY_BEFORE.search(text[max(0, amount.start - 80) : amount.start]):
        per_day = 1.0
    elif _SO.search(text[max(0, amount.start - 50) : amount.start]):
        per_day = 1.0  # "three times a day, so 2,400 mg"
    if amount.per == "hour":
        # "25 mg an hour before departure" is taken once
        per_day = None if _BEFOREHAND.match(text, amount.end) else 24.0
    if amount.per == "week":
        per_day = 1 / 7
    most = min((f.per_day for f in reading.doses[number].frequencies if f.is_max and f.per_day), default=None)
    if most is not None and per_day is not None and how == "plain" and amount.per is None:
        per_day = min(per_day, most)  # "every 4 hours, at most 5 doses a day"
    if amount.is_max and per_day is None and amount.per != "dose":
        per_day = 1.0
    return Intake(
        drug, number, amount.start, amount.end, mg or 0.0, per_day, weekly, amount.per_kg, amount.is_max, how, units
    )


def _count_times(text: str, end: int) -> int:
    """How many times of the day are listed behind an amount ("with breakfast, lunch and dinner")."""
    match = _TIMES.search(text, end, end + 120)
    if match is None or re.search(r"[.;:]", text[end : match.start()]) or len(text[end : match.start()].split()) > 6:
        return 1
    if re.search(r"\d\s?(?:mg|mcg|g)\b", text[end : match.end()]):
        return 1
    return len({found.group().lower() for found in _ONE_TIME.finditer(match.group())})


def _count_clock_items(reading: RelationReading, number: int) -> int:
    """How many items that are only a time hang below a lead-in ("At each of these times take ...:")."""
    n = 0
    for other in range(number + 1, min(number + 13, len(reading.segments))):
        item = reading.segments[other]
        if item.kind not in ("item", "row") or not _ONLY_A_TIME.fullmatch(item.text):
            break
        n += 1
    return n


def _drop_restated(reading: RelationReading) -> list[Owned]:
    """The amounts without those that a bracket only tells again: "two tablets (1,000 mg)" is one dose."""
    found: list[Owned] = []
    for owned in reading.amounts:
        before = found[-1] if found else None
        if before is not None and before.segment == owned.segment and before.drugs == owned.drugs:
            text = reading.segments[owned.segment].text
            one, other = before.amount, owned.amount
            if 0 <= other.start - one.end <= 40 and _BRACKET.fullmatch(text, one.end, other.start):
                piece, mass = (one, other) if one.mg is None else (other, one)
                if piece.unit in _PIECES and piece.mg is None and mass.mg and piece.high:
                    close = text.find(")", other.end)
                    end = close + 1 if 0 <= close - other.end <= 20 else other.end
                    each = mass.mg if re.match(r"\s*each\b", text[mass.end :]) else mass.mg / piece.high
                    found[-1] = replace(
                        before,
                        amount=replace(
                            piece,
                            start=one.start,
                            end=end,
                            strength=each,
                            per=one.per or other.per,
                            is_max=one.is_max or other.is_max,
                        ),
                    )
                    continue
        found.append(owned)
    return found


def _find_strengths(reading: RelationReading) -> dict[str, float]:
    """Milligrams of one tablet of each drug: as the answer says it, or else as the question does."""
    found: dict[str, float] = {}
    for owned in reading.amounts:
        if len(owned.drugs) != 1:
            continue
        (drug,) = owned.drugs
        if owned.amount.strength is not None:
            found.setdefault(drug, owned.amount.strength)
        elif is_tablet(reading.segments[owned.segment].text, owned.amount) and owned.amount.mg:
            found.setdefault(drug, owned.amount.mg)
    drugs = {name for owned in reading.amounts if len(owned.drugs) == 1 for name in owned.drugs}
    told = _find_told_strengths(reading.question, reading.question_drugs, drugs)
    for drug, mg in told.items():
        found.setdefault(drug, mg)
    for owned in reading.amounts:
        if len(owned.drugs) == 1 and owned.amount.mg and not owned.amount.per_kg and owned.amount.strength is None:
            found.setdefault(next(iter(owned.drugs)), owned.amount.mg)
    return found


def _find_told_strengths(question: str, named: Sequence[Mention], drugs: set[str]) -> dict[str, float]:
    """Strengths in the question: "I have the 500 mg caplets", "Ambien 10"."""
    found: dict[str, float] = {}
    own = [m for m in named if len(m.ingredients) == 1]
    for mention in own:
        match = _NAMED_STRENGTH.match(question, mention.end)
        if match is not None:
            found.setdefault(mention.lead, float(match[1]))
    for amount in find_doses(question).amounts:
        if not amount.mg and amount.strength is None:
            continue
        mg = amount.strength or (amount.mg or 0.0)
        near = min(own, key=lambda m: abs(m.start - amount.start), default=None)
        if near is not None:
            found.setdefault(near.lead, mg)
        elif len(drugs) == 1:
            found.setdefault(next(iter(drugs)), mg)
    return found


def _add_up(reading: RelationReading, single: Sequence[Intake]) -> Iterator[Intake]:
    """Totals of a day over several amounts: the rows or items of a day, a sentence, a dose and a second one."""
    by_block: dict[tuple[str, int], list[Intake]] = {}
    for intake in single:
        segment = reading.segments[intake.segment]
        if intake.is_max or intake.per_kg or not intake.mg:
            continue
        if segment.kind in ("row", "item") and _OPENS_WITH_TIME.match(segment.text):
            by_block.setdefault((intake.drug, segment.block), []).append(intake)
    for portions in by_block.values():
        if len({p.segment for p in portions}) == len(portions) > 1:
            yield replace(portions[0], mg=sum(p.mg for p in portions), per_day=1.0, how="portions")
    total = 0.0  # of the amounts of a sentence that were joined so far
    for one, other in pairwise(single):
        before_it, total = total, 0.0
        if one.drug != other.drug or one.is_max or other.is_max or one.per_kg or other.per_kg or one.weekly:
            continue
        text = reading.segments[other.segment].text
        if one.segment == other.segment:
            between = text[one.end : other.start]
            joined = re.search(r"\b(?:and|plus|then|with)\b|,|\+", between) and _ONE_TIME.search(between)
            behind = _ONE_TIME.search(text[other.end : other.end + 40]) or _AGAIN.search(between)
            apart = re.search(r"[.;]|\bor\b|\bto\b", between)
            if joined and behind and not apart and not _TITRATES.search(between):
                total = (before_it or one.mg * (one.per_day or 1)) + other.mg * (other.per_day or 1)
                yield replace(one, mg=total, per_day=1.0, how="sum of a sentence", end=other.end)
        elif other.segment - one.segment <= 2 and not _TITRATES.search(text):
            before = text[max(0, other.start - 25) : other.end]
            if _AGAIN.search(before) or re.match(r"\s*(?:more|extra)\b", text[other.end :]):
                yield replace(
                    other,
                    mg=one.mg * (one.per_day or 1) + other.mg * (other.per_day or 1),
                    per_day=1.0,
                    how="second dose",
                )


def fits_route(reading: RelationReading, route: str, drug: str) -> bool:
    """Whether the amounts of *drug* are given by *route*, or no other route is stated."""
    if route == "any":
        return True
    routes = reading.routes_of(drug)
    return route in routes or (route != "injection" and not routes & ODD_ROUTES)

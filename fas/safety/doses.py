"""Amounts, frequencies, routes, durations and stated maxima in a text.

Laboratory units (mg/dL, mL/min) are not doses. Number words, ranges, mg/kg and "in 24 hours" are understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fas.safety.dictionary import is_english
from fas.safety.frequencies import Frequency, find_frequencies
from fas.safety.quantities import DIGITS, NUMBER, SPELLED, is_maximum, parse_number
from fas.text.reading.pattern_tables import load_patterns

DOSES = load_patterns(__file__, DIGITS=DIGITS, SPELLED=SPELLED, NUMBER=NUMBER)

_ROUTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ophthalmic", DOSES.route_ophthalmic),
    ("otic", DOSES.route_otic),
    ("nasal", DOSES.route_nasal),
    ("inhaled", DOSES.route_inhaled),
    ("topical", DOSES.route_topical),
    ("transdermal", DOSES.route_transdermal),
    ("rectal", DOSES.route_rectal),
    ("vaginal", DOSES.route_vaginal),
    ("intravenous", DOSES.route_intravenous),
    ("injection", DOSES.route_injection),
    ("sublingual", DOSES.route_sublingual),
    ("oral", DOSES.route_oral),
)
_UNITS = {
    "milligram": "mg", "milligrams": "mg", "mgs": "mg", "mg": "mg", "microgram": "mcg", "micrograms": "mcg",
    "mcg": "mcg",
    "μg": "mcg", "ug": "mcg", "gram": "g", "grams": "g", "gm": "g", "g": "g", "international unit": "units",
    "international units": "units", "unit": "units", "units": "units", "iu": "units",
    "ius": "units", "u": "units", "meq": "meq",
    "mmol": "mmol", "ml": "ml", "mls": "ml", "milliliter": "ml", "milliliters": "ml", "millilitre": "ml",
    "millilitres": "ml", "cc": "ml", "million units": "million units",
}  # fmt: skip


# Tablets that are only counted: "two at a time", "swallow those two every four hours", "take two with breakfast".
_BARE_COUNT = re.compile(
    r"(?<![\w.])(?:(?P<lead>(?:take|swallow|have|use|give|chew|those|these) (?:those |these |another )?))?"
    r"(?P<n>\d|one|two|three|four|five|six)(?(lead)(?= (?:every|each|at|with|before|after|in the|now|more|together|"
    r"twice|three times|four times)\b)|(?= at a time\b| (?:with|at) (?:breakfast|lunch|dinner|"
    r"supper|noon|bedtime|night)\b| (?:in the|before) (?:morning|evening|afternoon|bed)\b|"
    r" of (?:your|the|those|these|his|"
    r"her) (?:\w+ )?(?:tab|cap|pill)))",
    re.IGNORECASE,
)
_AND_A_HALF = re.compile(r"(?<![\w.])(?P<n>\d|one|two|three|four) and (?:a )?$", re.IGNORECASE)
_MILLIGRAMS = {"mg": 1.0, "g": 1000.0, "mcg": 0.001}
_MOST = 1e12  # a longer row of digits is no dose


@dataclass(frozen=True, slots=True)
class Amount:
    """A quantity of a drug.

    Attributes:
        start: First character.
        end: One past the last.
        low: Smaller number of a range, or the number.
        high: Larger number.
        unit: mg, mcg, g, units, ml, meq, mmol, % or the dosage form in the singular.
        per_kg: Per kilogram of body weight or square metre of body surface.
        per: "day", "week", "hour", "dose" or None, where the amount itself says so.
        is_max: The text gives it as the most allowed ("no more than").
        strength: For a count ("two 500 mg tablets"), milligrams in each; None where not said.
    """

    start: int
    end: int
    low: float
    high: float
    unit: str
    per_kg: bool = False
    per: str | None = None
    is_max: bool = False
    strength: float | None = None

    @property
    def mg(self) -> float | None:
        """The larger number in milligrams; None where the unit has no mass."""
        factor = _MILLIGRAMS.get(self.unit)
        if factor is not None:
            return self.high * factor
        return self.high * self.strength if self.strength is not None else None


@dataclass(frozen=True, slots=True)
class Doses:
    """Everything about doses found in one text."""

    amounts: tuple[Amount, ...]
    frequencies: tuple[Frequency, ...]
    routes: tuple[str, ...]


NO_DOSES = Doses((), (), ())


def find_doses(text: str) -> Doses:
    """Amounts, frequencies, durations and routes in *text*; offsets are into *text*."""
    amounts = _find_amounts(text)
    durations = tuple(match.span() for match in DOSES.duration.finditer(text))
    frequencies = find_frequencies(text, durations)
    # "2 g a day" names its period inside the amount; it is a frequency as well.
    for amount in amounts:
        if amount.per in ("day", "week", "hour") and not any(
            f.start < amount.end and amount.start < f.end for f in frequencies
        ):
            frequencies.append(Frequency(amount.start, amount.end, None, "per", amount.per == "week"))
    frequencies.sort(key=lambda frequency: frequency.start)
    routes = tuple(name for name, pattern in _ROUTES if pattern.search(text))
    return Doses(tuple(amounts), tuple(frequencies), routes)


def _find_amounts(text: str) -> list[Amount]:
    found: list[Amount] = []
    taken = bytearray(len(text))  # characters that stand in an amount
    for pattern in (DOSES.amount, DOSES.percent, DOSES.count_of, DOSES.count):
        for match in pattern.finditer(text):
            start, end = match.span()
            if taken.find(1, start, end) >= 0:
                inside = [a for a in found if start < a.start and a.end <= end]
                if pattern not in (DOSES.count, DOSES.count_of) or not inside:
                    continue
                found = [a for a in found if not (start <= a.start and a.end <= end)]
                taken[start:end] = bytes(end - start)
            made = _make_amount(text, match)
            if made is not None:
                found.append(made)
                taken[start:end] = b"\1" * (end - start)
    for match in _BARE_COUNT.finditer(text):
        start, end = match.span("n")
        if taken.find(1, start, end) < 0:
            n = parse_number(match["n"])
            found.append(Amount(start, end, n, n, "tablet"))
    return sorted(found, key=lambda amount: amount.start)


def _is_salt(before: str) -> bool:
    """Whether sodium is part of a drug's name ("Phenytoin sodium")."""
    found = DOSES.salt.search(before)
    return found is not None and not is_english(found["of"].lower())


def _make_amount(text: str, match: re.Match[str]) -> Amount | None:
    groups = match.groupdict()
    low_text, unit = groups["low"] or groups.get("low2"), (groups["unit"] or groups.get("unit2") or "").lower()
    if low_text is None:
        return None
    before = text[max(0, match.start() - 30) : match.start()]
    if DOSES.food.search(before) and not _is_salt(before):
        return None  # "salt < 5 g/d", "alcohol below 14 units": no drug's
    if low_text.lower() in ("a", "an") and DOSES.kind.search(groups.get("between") or ""):
        return None  # "a steroid spray" names a kind of medicine, not how much of it
    low = parse_number(low_text)
    if low == 0.5 and (whole := _AND_A_HALF.search(before)):
        low += parse_number(whole["n"])  # "one and a half of your 80 mg tablets"
    high = parse_number(groups["high"]) if groups.get("high") else low
    if max(low, high) > _MOST:
        return None
    of_low = _UNITS.get((groups.get("of_low") or unit).lower())
    if groups.get("high") and of_low in _MILLIGRAMS and _UNITS.get(unit) in _MILLIGRAMS:
        low *= _MILLIGRAMS[of_low] / _MILLIGRAMS[_UNITS[unit]]  # "500 mg to 1 g"
    strength = re.search(rf"({DIGITS})\s*-?\s*(mg|mcg|g)\b", match.group(0)[len(low_text) :], re.IGNORECASE)
    is_count = unit not in _UNITS and unit not in ("%", "percent")
    milligrams = None
    if is_count and strength is not None:
        milligrams = parse_number(strength[1]) * {"mg": 1.0, "mcg": 0.001, "g": 1000.0}[strength[2].lower()]
    time = (groups.get("time") or "").lower()
    per = next((word for word in ("day", "24", "week", "wk", "hour", "dose") if word in time), None)
    per = {"24": "day", "wk": "week"}.get(per or "", per)
    if time and per is None:
        per = "day" if re.search(r"\bd\b", time) else "hour"
    if "24" in time:
        per = "day"
    return Amount(
        match.start(),
        match.end(),
        min(low, high),
        max(low, high),
        # "875/125 mg": which number is which ingredient's is not known here, so that no mass is given.
        "combination"
        if groups.get("first")
        else _UNITS.get(unit, "%" if unit in ("%", "percent") else unit.rstrip("s")),
        per_kg=bool(groups.get("per")),
        per=per,
        is_max=is_maximum(text, match.start()),
        strength=milligrams,
    )

"""Amounts, frequencies, routes, durations and stated maxima in a text.

Laboratory units (mg/dL, mL/min) are not doses. Number words, ranges, mg/kg and "in 24 hours" are understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from fas.safety.frequencies import Frequency, find_frequencies
from fas.safety.quantities import DIGITS, NUMBER, SPELLED, is_maximum, number

_MASS = (
    r"(?:milligrams?|mgs?|micrograms?|mcg|μg|ug|grams?|gm|g|international units?|million units|units?|ius?|u|meq|mmol|"
    r"millilit(?:er|re)s?|mls?|cc)"
)
_PER = r"(?P<per>(?:\s*+/\s*+|\s++per\s+|\s++for every\s+)(?:kg|kilogram|m2|square met\w+)(?:\s++of body weight)?)?"
_PER_TIME = (
    r"(?P<time>(?:\s*+/\s*+|\s++per\s+|\s++(?:a|an|each|every)\s+|\s+in\s++(?:a|an|any|one)?\s*+)"
    r"(?:day|d\b|24[- ]?(?:hours?|hrs?|h)|24[- ]hour period|dose|hour|hr?\b|week|wk))?"
)
_LAB = (
    r"(?!\s*+/\s*+(?:dl|l\b|100\s*+ml|ml\b|mmol|mol|min|hpf|mm3|cc\b|g\b)|"
    r"\s++per\s+(?:deciliter|liter|litre|minute))"
)
_FORM = (
    r"(?:tablets?|tabs?|capsules?|caps?|caplets?|pills?|puffs?|sprays?|squirts?|applicator(?:ful)?s?|drops?|gtt|patch(?:es)?|"
    r"suppositor(?:y|ies)|sachets?|packets?|lozenges?|teaspoon(?:ful)?s?|tsp|tablespoon(?:ful)?s?|"
    r"tbsp|ampoules?|vials?|"
    r"inhalations?|applications?|pinch(?:es)?|dash(?:es)?|coats?|gumm(?:y|ies)|scoops?|capfuls?|"
    r"fingertip units?|injections?|pea-sized amounts?|"
    r"thin layers?|films?|pieces? of gum)"
)
_TOPICAL = r"(?:cream|ointment|gel|lotion|solution|foam|shampoo|drops|spray|patch(?:es)?|suspension|cleanser|wash)"

_AMOUNT = re.compile(
    rf"(?<![\w.,/-])(?P<first>{DIGITS}\s*+/\s*+)?(?P<low>{DIGITS}|(?:{SPELLED})(?=[ -]m)|(?:half an?|an?|one|"
    rf"{SPELLED})(?=[ -]grams?\b))(?:\s*+(?P<of_low>{_MASS})(?![a-z]))?"
    rf"(?:\s*+(?:-|to|or|and up to)\s*+(?P<high>{DIGITS}))?"
    rf"\s*+-?\s*+(?P<unit>{_MASS})(?![a-z\d]){_LAB}{_PER}{_PER_TIME}",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?P<low>{NUMBER})(?:\s*+(?:-|to|or)\s*+(?P<high>{NUMBER}))?"
    rf"(?:\s+(?:(?!of\b|to\b|for\b|weeks?\b|days?\b|times\b|doses?\b)[a-z][\w-]*\s+){{0,3}}?"
    rf"(?:\(?{DIGITS}(?:\s*-\s*{DIGITS})?[- ]?{_MASS}\)?))?(?:\s+|-)"
    rf"(?P<between>(?:(?!of\b|to\b|for\b)\w[\w-]*\s+){{0,2}}?)"
    rf"(?P<unit>{_FORM})(?![a-z])(?! forms?\b){_PER_TIME}",
    re.IGNORECASE,
)
_COUNT_OF = re.compile(  # "two or three of the 10 mg tablets"; a name may stand before the form
    rf"(?<![\w.,/-])(?P<low>{NUMBER})(?:\s*+(?:-|to|or)\s*+(?P<high>{NUMBER}))?\s++of\s++(?:the|your|these|those|"
    rf"his|her)\s+"
    rf"(?P<each>{DIGITS})[- ]?{_MASS}[- ](?:\w+[- ]){{0,2}}?(?P<unit>{_FORM})(?![a-z]){_PER_TIME}",
    re.IGNORECASE,
)
_FOOD = re.compile(
    r"\b(?:salt|sodium|alcohol|sugar|fib(?:re|er)|protein|fluids?|water|carbs?|carbohydrates?|coffee|wine|beer)\b"
    r"(?: intake| consumption)?(?: (?:to|of|at|is|below|under|within|less than|no more than|up to|about|around|"
    r"=))*[ :<>≤≥=~]*$",
    re.IGNORECASE,
)
_WISHED_FOR = re.compile(
    r"\b(?:wants?|wanted|wish(?:es)?|prefers?|preferred|'d like|would like|swallow|as|rather|need|"
    r"needs) (?:to (?:have|take) )?$",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"\b(?:steroid|nasal|nose|sleeping|water|pain|antihistamine|saline|cough|allergy|decongestant|hormone|throat|eye|ear|"
    r"nicotine|cholesterol|blood|inhaled|topical|antifungal|antibiotic|numbing|vitamin|iron|combination|different|"
    r"second|daily)\b",
    re.IGNORECASE,
)
_PERCENT = re.compile(
    rf"(?<![\w.])(?P<low>{DIGITS})(?:\s*+-\s*+(?P<high>{DIGITS}))?\s*+(?P<unit>%|"
    rf"percent)\s+(?:\w+\s+){{0,2}}?{_TOPICAL}\b"
    rf"|\b{_TOPICAL}\s*\(?(?P<low2>{DIGITS})\s*(?P<unit2>%)",
    re.IGNORECASE,
)

_DURATION = re.compile(
    r"\bfor (?:up to |at least |about |the next |no more than )?(?:\d+|one|two|three|four|five|six|seven|ten|a)"
    r"(?:\s*(?:-|to|or)\s*\d+)?\s*-?(?:full )?(?:days?|weeks?|months?|years?)\b|\bx\s?\d+\s?(?:days?|d|weeks?)\b",
    re.IGNORECASE,
)
_ROUTES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "ophthalmic",
        re.compile(r"\beye ?drops?|\b(?:in(?:to)?|to) (?:the |each |your |both |affected )*eyes?\b|\bophthalmic", re.I),
    ),
    ("otic", re.compile(r"\bear ?drops?|\botic\b|\bin(?:to)? (?:the |each |your )*ears?\b", re.I)),
    ("nasal", re.compile(r"\bnasal|\bnostril|\bnose spray|\bintranasal", re.I)),
    ("inhaled", re.compile(r"\binhal|\bnebuli|\bpuffs?\b", re.I)),
    (
        "topical",
        re.compile(
            r"\btopical|\bcream\b|\bointment\b|\bgel\b|\blotion\b|\bto the (?:skin|affected)|\bshampoo|"
            r"\bfoam\b",
            re.I,
        ),
    ),
    ("transdermal", re.compile(r"\bpatch(?:es)?\b|\btransdermal", re.I)),
    ("rectal", re.compile(r"\brectal|\bsuppositor|\benema", re.I)),
    ("vaginal", re.compile(r"\bvaginal", re.I)),
    ("intravenous", re.compile(r"\bintravenous|\bIV\b|\binfus(?:ion|ed)\b", re.I)),
    ("injection", re.compile(r"\bintramuscular|\bIM\b|\bsubcutaneous|\bSC\b|\bsubq\b|\binject", re.I)),
    ("sublingual", re.compile(r"\bsublingual|\bunder (?:the|your) tongue|\bbuccal", re.I)),
    ("oral", re.compile(r"\boral|\bby mouth|\bp\.?o\.?\b|\btablets?\b|\bcapsules?\b|\bpills?\b", re.I)),
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
    durations: tuple[tuple[int, int], ...]
    routes: tuple[str, ...]


NO_DOSES = Doses((), (), (), ())
Route = Literal["oral", "intravenous", "injection", "topical"]


def find_doses(text: str) -> Doses:
    """Amounts, frequencies, durations and routes in *text*; offsets are into *text*."""
    amounts = _amounts(text)
    taken = [(amount.start, amount.end) for amount in amounts]
    durations = tuple(match.span() for match in _DURATION.finditer(text))
    frequencies = find_frequencies(text, durations)
    # "2 g a day" names its period inside the amount; it is a frequency as well.
    for amount in amounts:
        if amount.per in ("day", "week", "hour") and not any(
            f.start < amount.end and amount.start < f.end for f in frequencies
        ):
            frequencies.append(
                Frequency(taken[amounts.index(amount)][0], amount.end, None, "per", amount.per == "week")
            )
    routes = tuple(name for name, pattern in _ROUTES if pattern.search(text))
    return Doses(tuple(amounts), tuple(frequencies), durations, routes)


def _amounts(text: str) -> list[Amount]:
    found: list[Amount] = []
    for pattern in (_AMOUNT, _PERCENT, _COUNT_OF, _COUNT):
        for match in pattern.finditer(text):
            start, end = match.span()
            if pattern in (_COUNT, _COUNT_OF) and _inside_strength(match, found):
                found = [amount for amount in found if not (start <= amount.start and amount.end <= end)]
            elif any(amount.start < end and start < amount.end for amount in found):
                continue
            made = _amount(text, match)
            if made is not None:
                found.append(made)
    return sorted(found, key=lambda amount: amount.start)


def _inside_strength(match: re.Match[str], found: list[Amount]) -> bool:
    return any(match.start() < amount.start and amount.end <= match.end() for amount in found)


def _amount(text: str, match: re.Match[str]) -> Amount | None:
    groups = match.groupdict()
    low_text, unit = groups["low"] or groups.get("low2"), (groups["unit"] or groups.get("unit2") or "").lower()
    if low_text is None:
        return None
    if _FOOD.search(text[max(0, match.start() - 30) : match.start()]):
        return None  # "salt < 5 g/d", "alcohol below 14 units": no drug's
    if low_text.lower() in ("a", "an") and _KIND.search(groups.get("between") or ""):
        return None  # "a steroid spray" names a kind of medicine, not how much of it
    plain_count = low_text.lower() in ("a", "an") and re.search(r"\d", match.group()) is None
    if plain_count and _WISHED_FOR.search(match.string[: match.start()]):
        return None  # "if she wants a tablet"
    low = number(low_text)
    high = number(groups["high"]) if groups.get("high") else low
    if max(low, high) > _MOST:
        return None
    of_low = _UNITS.get((groups.get("of_low") or unit).lower())
    if groups.get("high") and of_low in _MILLIGRAMS and _UNITS.get(unit) in _MILLIGRAMS:
        low *= _MILLIGRAMS[of_low] / _MILLIGRAMS[_UNITS[unit]]  # "500 mg to 1 g"
    strength = re.search(rf"({DIGITS})\s*-?\s*(mg|mcg|g)\b", match.group(0)[len(low_text) :], re.IGNORECASE)
    is_count = unit not in _UNITS and unit not in ("%", "percent")
    milligrams = None
    if is_count and strength is not None:
        milligrams = number(strength[1]) * {"mg": 1.0, "mcg": 0.001, "g": 1000.0}[strength[2].lower()]
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

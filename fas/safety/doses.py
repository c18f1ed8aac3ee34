"""Amounts, frequencies, routes, durations and stated maxima in a text.

Laboratory units (mg/dL, mL/min) are not doses. Number words, ranges, mg/kg and "in 24 hours"
are understood; use bound to an event (at onset, before meals, as needed) counts as a frequency.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_WORDS = {
    "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0,
    "eight": 8.0, "nine": 9.0, "ten": 10.0, "twelve": 12.0, "half": 0.5, "half a": 0.5, "half an": 0.5, "½": 0.5,
    "1/4": 0.25, "3/4": 0.75, "1/3": 1 / 3, "2/3": 2 / 3,
    "¼": 0.25, "¾": 0.75, "single": 1.0, "a single": 1.0, "1/2": 0.5,
}  # fmt: skip
_TENS = {
    "fifteen": 15.0, "twenty": 20.0, "twenty-five": 25.0, "thirty": 30.0, "forty": 40.0, "fifty": 50.0, "sixty": 60.0,
    "seventy-five": 75.0, "eighty": 80.0, "ninety": 90.0, "hundred": 100.0, "a hundred": 100.0, "one hundred": 100.0,
    "a hundred and fifty": 150.0, "one hundred and fifty": 150.0, "one hundred fifty": 150.0, "two hundred": 200.0,
    "two hundred and fifty": 250.0, "two hundred fifty": 250.0, "three hundred": 300.0, "four hundred": 400.0,
    "five hundred": 500.0, "six hundred": 600.0, "eight hundred": 800.0, "one thousand": 1000.0, "a thousand": 1000.0,
}  # fmt: skip
_WORDS |= _TENS
_SPELLED = "|".join(sorted((*_TENS, "five", "ten", "two", "four", "six", "eight"), key=len, reverse=True))
_NUMBER = (
    r"(?:[1-3]/[2-4](?!\d)|\d{1,3}(?:[, ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[½¼¾]|half an?|"
    r"half|an?(?: single)?|single|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|twelve)"
)
_DIGITS = r"(?:\d{1,3}(?:[, ]\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[½¼¾])"
_MASS = (
    r"(?:milligrams?|mgs?|micrograms?|mcg|μg|ug|grams?|gm|g|international units?|million units|units?|ius?|u|meq|mmol|"
    r"millilit(?:er|re)s?|mls?|cc)"
)
_PER = r"(?P<per>(?:\s*/\s*|\s+per\s+|\s+for every\s+)(?:kg|kilogram|m2|square met\w+)(?:\s+of body weight)?)?"
_PER_TIME = (
    r"(?P<time>(?:\s*/\s*|\s+per\s+|\s+(?:a|an|each|every)\s+|\s+in\s+(?:a|an|any|one)?\s*)"
    r"(?:day|d\b|24[- ]?(?:hours?|hrs?|h)|24[- ]hour period|dose|hour|hr?\b|week|wk))?"
)
_LAB = r"(?!\s*/\s*(?:dl|l\b|100\s*ml|ml\b|mmol|mol|min|hpf|mm3|cc\b|g\b)|\s+per\s+(?:deciliter|liter|litre|minute))"
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
    rf"(?<![\w.,/-])(?P<first>{_DIGITS}\s*/\s*)?(?P<low>{_DIGITS}|(?:{_SPELLED})(?=[ -]m))(?:\s*{_MASS}(?![a-z]))?"
    rf"(?:\s*(?:-|to|or|and up to)\s*(?P<high>{_DIGITS}))?"
    rf"\s*-?\s*(?P<unit>{_MASS})(?![a-z\d]){_LAB}{_PER}{_PER_TIME}",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?<![\w.,/-])(?P<low>{_NUMBER})(?:\s*(?:-|to|or)\s*(?P<high>{_NUMBER}))?"
    rf"(?:\s+(?:(?!of\b|to\b|for\b|weeks?\b|days?\b|times\b|doses?\b)[a-z][\w-]*\s+){{0,3}}?"
    rf"(?:\(?{_DIGITS}(?:\s*-\s*{_DIGITS})?[- ]?{_MASS}\)?))?(?:\s+|-)"
    rf"(?P<between>(?:(?!of\b|to\b|for\b)\w[\w-]*\s+){{0,2}}?)"
    rf"(?P<unit>{_FORM})(?![a-z])(?! forms?\b){_PER_TIME}",
    re.IGNORECASE,
)
_COUNT_OF = re.compile(  # "two or three of the 10 mg tablets"; a name may stand before the form
    rf"(?<![\w.,/-])(?P<low>{_NUMBER})(?:\s*(?:-|to|or)\s*(?P<high>{_NUMBER}))?\s+of\s+(?:the|your|these|those|"
    rf"his|her)\s+"
    rf"(?P<each>{_DIGITS})[- ]?{_MASS}[- ](?:\w+[- ]){{0,2}}?(?P<unit>{_FORM})(?![a-z]){_PER_TIME}",
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
    rf"(?<![\w.])(?P<low>{_DIGITS})(?:\s*-\s*(?P<high>{_DIGITS}))?\s*(?P<unit>%|"
    rf"percent)\s+(?:\w+\s+){{0,2}}?{_TOPICAL}\b"
    rf"|\b{_TOPICAL}\s*\(?(?P<low2>{_DIGITS})\s*(?P<unit2>%)",
    re.IGNORECASE,
)

_TIMES = r"(?:times?|x|doses?|tablets?|capsules?)"
_FREQUENCY_FORMS: tuple[tuple[str, str], ...] = (
    (
        "times",
        # "one month" and "3-day" are no frequencies: a bare noun needs "times", "once" or "a" before it.
        rf"\b(?P<n1>once|twice|thrice|{_NUMBER})(?:\s*(?:-|to|or)\s*(?P<n2>twice|thrice|{_NUMBER}))?"
        rf"(?:\s*{_TIMES}\s*(?:-|a|per|each|every|/|in a|in|)|\s*(?:a|per|each|every|/|in a|in)\b|\s*/|(?<=ce)|"
        rf"(?<=ce)-|"
        r"\s*-?\s*(?=daily|nightly|weekly|monthly))"
        r"\s*(?P<unit>day|daily|24 hours|week|weekly|month|monthly|night|nightly)\b",
    ),
    (
        "every",
        r"\b(?:every|each|q\.?)\s*(?P<n1>\d{1,3}(?:\.\d)?|other|one|two|three|four|six|eight|twelve)?\s*"
        r"(?:(?:-|to|or)\s*(?P<n2>\d{1,3}|two|three|four|six|eight|twelve))?\s*-?\s*"
        r"(?P<unit>hours?|hrs?|h\b|days?|d\b|weeks?|wks?|months?|mornings?|evenings?|nights?|afternoon|bedtime)",
    ),
    (
        "latin",
        r"\b(?P<unit>q\.?d\.?|b\.?i\.?d\.?|t\.?i\.?d\.?|q\.?i\.?d\.?|q\.?hs|qam|qpm|q\.?o\.?d\.?|"
        r"(?-i:od|bd|tds|qds|nocte|mane|(?<=[\dglsLtO] )(?:OD|BD|TDS|QDS|NOCTE|MANE)))(?=\W|$)",
    ),
    (
        "adverb",
        r"\b(?P<unit>daily|nightly|weekly|monthly|hourly|"
        r"(?<!in )(?<!after )(?<!within )(?<!for )(?:a day|a week|a month)|"
        r"per day|/day|/d\b|each day|per week|"
        r"every day|each night|(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day(?=:))|(?:every|each) (?:mon|tues|"
        r"wednes|thurs|fri|satur|sun)days?|"
        r"on (?:mon|tues|wednes|thurs|fri|satur|sun)days)(?=\W|$)",
    ),
    (
        "moment",
        r"\b(?P<unit>(?:at|before) (?:bedtime|bed)|at night|in the (?:morning|evening)|on day \d+|"
        r"(?:(?:each |every |in the )?morning,? (?:noon |midday |afternoon )?(?:and|&) (?:in the )?(?:evening|night))|"
        r"(?:as|when|(?:just )?before) (?:you|he|she|they) (?:go|goes|get|gets|turn|turns) (?:in|(?:in)?to bed)|"
        r"(?:with|before|after|at) (?:breakfast|lunch|dinner|supper|the evening meal))\b",
    ),
    (
        "meals",
        # "with food" says in what manner, not how often.
        r"\b(?P<unit>(?:with|before|after) (?:each |every )?(?:main )?(?:meals?|eating)|(?:before|after) food)\b",
    ),
    (
        "event",
        r"\b(?P<unit>(?:as|when|if|whenever) (?:needed|required|necessary)|p\.?r\.?n\.?|(?:at|"
        r"with) (?:the )?(?:first )?"
        r"(?:onset|sign|signs|symptoms|start)(?: of)?|(?:before|prior to) (?:exercise|sex|"
        r"sexual activity|travel|surgery|"
        r"the procedure|the flight)|(?:an?|half an|one|two|three|\d+)(?: (?:to|or) (?:two|three|"
        r"\d+))? (?:minutes?|hours?|days?) (?:before|beforehand|afore|after|later)|(?:as|in|for) (?:a|one) single dose|"
        r"single dose|one[- ]time|once only|just once|one dose|\bonce\b(?! (?:you|your|the|it|symptoms))|stat|"
        r"(?:after|with) (?:each|every|the first|the) (?:loose )?(?:stool|bowel movement)|as (?:a|"
        r"the) (?:one-time|loading|initial|starting) dose|"
        r"(?:left|leave(?: it)?)(?: on| in)?(?: for)? (?:about )?\d{1,3} (?:minutes|min|hours)|"
        r"continuous(?:ly)?|right away|immediately|"
        r"every (?:\d{1,2}|two|three|five|ten|fifteen|twenty|thirty)(?: ?(?:-|to|or) ?(?:\d{1,2}|"
        r"ten))? ?min(?:ute)?s?|every half(?: an)? hour|"
        r"(?:when|once|as soon as|whenever) (?:an?|the|your|his|her) (?:\w+ )?(?:attack|pain|headache|migraine|"
        r"symptoms?|"
        r"fever|cramps?|itch\w*|nausea) (?:starts?|begins?|comes on|strikes?|returns?|sets? in))(?=\W|$)",
    ),
)
_FREQUENCIES = tuple((kind, re.compile(form, re.IGNORECASE)) for kind, form in _FREQUENCY_FORMS)
_DURATION = re.compile(
    r"\bfor (?:up to |at least |about |the next |no more than )?(?:\d+|one|two|three|four|five|six|seven|ten|a)"
    r"(?:\s*(?:-|to|or)\s*\d+)?\s*-?(?:full )?(?:days?|weeks?|months?|years?)\b|\bx\s?\d+\s?(?:days?|d|weeks?)\b",
    re.IGNORECASE,
)
_MAX = re.compile(
    r"(?:\b(?:max(?:imum)?(?: (?:daily |total )?(?:dose|amount|of))?|no more than|not more than|"
    r"not (?:to )?exceed(?:ing)?|"
    r"never (?:exceed|more than)|do not (?:take more than|exceed|use more than|go over)|"
    r"don't (?:take more than|exceed)|"
    r"(?:without|avoid) exceeding|limit(?:ed)? (?:of|to|is)?|up to(?: a (?:maximum|total) of)?|at most|"
    r"a total of|the most (?:that )?(?:you|he|she|they|anyone) (?:may|can|should|must) (?:ever )?(?:have|take|use)|"
    r"(?:ceiling|upper limit|cap)|capped at)(?: (?:is|of|a total of|a maximum of|should not exceed|per day is|"
    r"in 24 hours is))*[: ]*)$",
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
_PER_DAY = {"hour": 24.0, "hr": 24.0, "h": 24.0, "day": 1.0, "d": 1.0, "week": 1 / 7, "wk": 1 / 7, "month": 1 / 30}
_LATIN = {"qd": 1.0, "bid": 2.0, "tid": 3.0, "qid": 4.0, "qhs": 1.0, "qam": 1.0, "qpm": 1.0, "qod": 0.5,
    "od": 1.0, "bd": 2.0, "tds": 3.0, "qds": 4.0, "nocte": 1.0, "mane": 1.0,
}  # fmt: skip


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
        factor = {"mg": 1.0, "g": 1000.0, "mcg": 0.001}.get(self.unit)
        if factor is not None:
            return self.high * factor
        return self.high * self.strength if self.strength is not None else None


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often.

    Attributes:
        start: First character.
        end: One past the last.
        per_day: Largest number of times a day; None where the words do not say (as needed).
        kind: The form it has: times, every, latin, adverb, moment, meals or event.
        weekly: Given by the week or month.
        is_max: The text gives it as the most allowed ("max 5 doses a day").
    """

    start: int
    end: int
    per_day: float | None
    kind: str
    weekly: bool = False
    is_max: bool = False


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
    frequencies = _frequencies(text, durations)
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


def number(text: str) -> float:
    """The value of a number written in digits, with separators, or as a word.

    >>> number("1,200"), number("½"), number("two")
    (1200.0, 0.5, 2.0)
    """
    text = text.strip().lower()
    return _WORDS[text] if text in _WORDS else float(text.replace(",", "").replace(" ", ""))


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
    strength = re.search(rf"({_DIGITS})\s*-?\s*(mg|mcg|g)\b", match.group(0)[len(low_text) :], re.IGNORECASE)
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
        is_max=bool(_MAX.search(text[max(0, match.start() - 50) : match.start()])),
        strength=milligrams,
    )


def _frequencies(text: str, durations: tuple[tuple[int, int], ...]) -> list[Frequency]:
    found: list[Frequency] = []
    for kind, pattern in _FREQUENCIES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(f.start < end and start < f.end for f in found) or any(
                a <= start and end <= b for a, b in durations
            ):
                continue
            found.append(_frequency(kind, match))
    return sorted(found, key=lambda frequency: frequency.start)


def _frequency(kind: str, match: re.Match[str]) -> Frequency:
    groups = match.groupdict()
    unit = (groups.get("unit") or "").lower().strip(" ./")
    per_day: float | None = None
    weekly = unit.startswith(("week", "wk", "month")) or unit.endswith(("a week", "per week", "a month"))
    if kind == "times":
        counts = [_times(groups[name]) for name in ("n1", "n2") if groups.get(name)]
        base = {"day": 1.0, "daily": 1.0, "24 hours": 1.0, "night": 1.0, "nightly": 1.0, "week": 1 / 7, "weekly": 1 / 7}
        per_day = max(counts) * base.get(unit, 1 / 30)
    elif kind == "every":
        interval = groups.get("n1") or "1"
        length = 2.0 if interval.lower() == "other" else number(interval)
        root = re.sub(r"s$", "", unit)
        per_day = _PER_DAY.get({"hr": "hour", "wk": "week"}.get(root, root), 1.0) / (length or 1.0)
    elif kind == "latin":
        per_day = _LATIN[unit.replace(".", "")]
    elif kind == "adverb":
        per_day = 24.0 if unit == "hourly" else 1 / 7 if "week" in unit else 1 / 30 if "month" in unit else 1.0
        if re.search(r"(?:(?:every|each|on) |^)\w+days?$", unit) and unit not in ("every day", "each day"):
            per_day, weekly = 1 / 7, True
    elif kind == "moment":
        per_day = (
            (3.0 if re.search("noon|midday", unit) else 2.0)
            if re.match(r"(?:\w+ )*morning\b.*(?:and|&)", unit)
            else 1.0
        )
    elif kind == "meals":
        per_day = 3.0 if re.search(r"each|every|main|meals", unit) else None
    is_max = bool(_MAX.search(match.string[max(0, match.start() - 50) : match.start()]))
    return Frequency(match.start(), match.end(), per_day, kind, weekly, is_max)


def _times(text: str) -> float:
    return {"once": 1.0, "twice": 2.0, "thrice": 3.0}.get(text.lower()) or number(text)

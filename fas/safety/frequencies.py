"""How often a drug is to be taken: times a day, intervals, prescribers' Latin, meals, moments and events.

Use bound to an event (at onset, before meals, as needed) counts as a frequency.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fas.safety.quantities import NUMBER, is_maximum, parse_number

_TIMES = r"(?:times?|x|doses?|tablets?|capsules?)"
_FREQUENCY_FORMS: tuple[tuple[str, str], ...] = (
    (
        "times",
        # "one month" and "3-day" are no frequencies: a bare noun needs "times", "once" or "a" before it.
        rf"\b(?P<n1>once|twice|thrice|{NUMBER})(?:\s*+(?:-|to|or)\s*+(?P<n2>twice|thrice|{NUMBER}))?"
        rf"(?:\s*+{_TIMES}\s*+(?:-|a|per|each|every|/|in a|in|)|\s*+(?:a|per|each|every|/|in a|in)\b|\s*+/|(?<=ce)|"
        rf"(?<=ce)-|"
        r"\s*+-?\s*+(?=daily|nightly|weekly|monthly))"
        r"\s*+(?P<unit>day|daily|24 hours|week|weekly|month|monthly|night|nightly)\b",
    ),
    (
        "times",
        r"(?<![\w.])[x×]\s?(?P<n1>\d{1,2})\s*+(?:times\s+)?(?:a\s|per\s|each\s|every\s|/\s?)?"
        r"(?P<unit>day|daily|week|weekly)\b",
    ),
    (
        "every",
        r"\b(?:every|each|q\.?)\s*+(?P<n1>\d{1,3}(?:\.\d)?|other|one|two|three|four|six|eight|twelve)?\s*+"
        r"(?:(?:-|to|or)\s*+(?P<n2>\d{1,3}|two|three|four|six|eight|twelve))?\s*+-?\s*+"
        r"(?P<unit>hours?|hrs?|h\b|days?|d\b|weeks?|wks?|months?|mornings?|evenings?|nights?|afternoon|bedtime)",
    ),
    (
        "latin",
        r"\b(?P<unit>q\.?d\.?|b\.?i\.?d\.?|t\.?i\.?d\.?|q\.?i\.?d\.?|q\.?hs|qam|qpm|q\.?o\.?d\.?|"
        r"o\.d\.|b\.d\.|t\.d\.s\.|q\.d\.s\.|(?-i:od|bd|tds|qds|nocte|mane|(?<=[\dglsLtO] )(?:OD|BD|TDS|QDS|NOCTE|"
        r"MANE)))(?=\W|$)",
    ),
    ("every", r"(?<![\w.])(?P<n1>\d{1,2})\s?-?\s?(?P<unit>h)(?:ou)?r?ly\b"),
    # One in the morning, none at noon, one in the evening.
    ("scheme", r"(?<![\w.,/-])(?P<unit>(?:\d?½|[0-9](?:\.5)?)(?:\s?-\s?(?:\d?½|[0-9](?:\.5)?)){2,3})(?![\w/-]|[.,]\d)"),
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
        r"\b(?P<unit>(?:at|before) (?:bedtime|bed)|at night|in the (?:(?:early|late) )?(?:morning|evening|afternoon|"
        r"night)|at (?:noon|midday|lunchtime|teatime|dinnertime)|on (?:waking|rising|day \d+)|"
        r"(?:in the )?mid-?(?:morning|afternoon)|"
        r"(?:(?:each |every |in the )?morning,? (?:noon |midday |afternoon )?(?:and|&) (?:in the )?(?:evening|night))|"
        r"(?:as|when|(?:just )?before) (?:you|he|she|they) (?:go|goes|get|gets|turn|turns) (?:in|(?:in)?to bed)|"
        r"(?:with|before|after|at) (?:your |his |her |their )?(?:breakfast|lunch|dinner|supper|(?:the )?evening meal))"
        r"\b",
    ),
    (
        "meals",
        # "with food" says in what manner, not how often.
        r"\b(?P<unit>(?:with|before|after) (?:each |every |a |any )?(?:main |large |big |small |full )?(?:meals?|"
        r"eating)|(?:before|after) food)\b",
    ),
    (
        "event",
        r"\b(?P<unit>(?:as|when|if|whenever) (?:needed|required|necessary)|p\.?r\.?n\.?|(?:at|"
        r"with) (?:the )?(?:first )?"
        r"(?:onset|sign|signs|symptoms|start)(?: of)?|(?:before|prior to) (?:exercise|sex|"
        r"sexual activity|travel|surgery|"
        r"the procedure|the flight)|(?:an?|half an|one|two|three|\d+)(?: (?:to|or) (?:two|three|"
        r"\d+))? (?:minutes?|hours?|days?) (?:before|beforehand|afore|after|later)|(?:as|in|for) (?:a|one) single "
        r"dose|(?:a|one) single (?:oral |intramuscular |intravenous )?dose|"
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
_PER_DAY = {"hour": 24.0, "hr": 24.0, "h": 24.0, "day": 1.0, "d": 1.0, "week": 1 / 7, "wk": 1 / 7, "month": 1 / 30}
_MOST_A_DAY = 96.0  # every quarter of an hour; "one Zantac 300 tablet daily" is not 300 times
_LATIN = {"qd": 1.0, "bid": 2.0, "tid": 3.0, "qid": 4.0, "qhs": 1.0, "qam": 1.0, "qpm": 1.0, "qod": 0.5,
    "od": 1.0, "bd": 2.0, "tds": 3.0, "qds": 4.0, "nocte": 1.0, "mane": 1.0,
}  # fmt: skip


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


def find_frequencies(text: str, durations: Sequence[tuple[int, int]]) -> list[Frequency]:
    """The frequencies in *text* in its order, none inside one of *durations* (start and end).

    Offsets are into *text*.
    """
    found: list[Frequency] = []
    for kind, pattern in _FREQUENCIES:
        for match in pattern.finditer(text):
            start, end = match.span()
            if any(f.start < end and start < f.end for f in found) or any(
                a <= start and end <= b for a, b in durations
            ):
                continue
            made = _make_frequency(kind, match)
            if (made.per_day or 0.0) <= _MOST_A_DAY:
                found.append(made)
    return sorted(found, key=lambda frequency: frequency.start)


def _make_frequency(kind: str, match: re.Match[str]) -> Frequency:
    groups = match.groupdict()
    unit = (groups.get("unit") or "").lower().strip(" ./")
    per_day: float | None = None
    weekly = unit.startswith(("week", "wk", "month")) or unit.endswith(("a week", "per week", "a month"))
    if kind == "times":
        counts = [_parse_times(groups[name]) for name in ("n1", "n2") if groups.get(name)]
        base = {"day": 1.0, "daily": 1.0, "24 hours": 1.0, "night": 1.0, "nightly": 1.0, "week": 1 / 7, "weekly": 1 / 7}
        per_day = max(counts) * base.get(unit, 1 / 30)
    elif kind == "every":
        interval = groups.get("n1") or "1"
        length = 2.0 if interval.lower() == "other" else parse_number(interval)
        root = re.sub(r"s$", "", unit)
        per_day = _PER_DAY.get({"hr": "hour", "wk": "week"}.get(root, root), 1.0) / (length or 1.0)
    elif kind == "scheme":
        per_day = sum(parse_number(part.replace("½", ".5").strip()) for part in unit.split("-")) or None
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
    is_max = is_maximum(match.string, match.start())
    return Frequency(match.start(), match.end(), per_day, kind, weekly, is_max)


def _parse_times(text: str) -> float:
    return {"once": 1.0, "twice": 2.0, "thrice": 3.0}.get(text.lower()) or parse_number(text)

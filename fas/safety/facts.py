"""Conditions and measurements named in a text, and whether they are stated of somebody."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fas.reading.cues import table
from fas.safety.rules import Condition

_NO_FACT = frozenset({"denied", "others", "unreal"})
_AFTER = 60  # characters behind a condition in which it may be taken back

_NUMBERS = {
    "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0,
    "nine": 9.0, "ten": 10.0, "eleven": 11.0, "twelve": 12.0, "thirteen": 13.0, "fourteen": 14.0, "fifteen": 15.0,
    "sixteen": 16.0, "seventeen": 17.0, "eighteen": 18.0, "nineteen": 19.0,
}  # fmt: skip
_COUNT = rf"(?:\d{{1,2}}|{'|'.join(_NUMBERS)})"
_YOUNG = r"(?:baby|babies|infant|newborn|toddler|child|kid|son|daughter|boy|girl|grandson|granddaughter|little one)"
_SINCE_THEN = re.compile(
    r"(?:[^\d?;]{0,90}?\b(?:(?:now|today|since then|currently|repeat(?:ed)?|latest|recheck(?:ed)?)\b[^\d.?;]{0,25}|"
    r"it(?:'s| is| has)(?: now)?(?: been)?(?: back)?(?: to| at)?\s+)(?P<m>\d{1,3}(?:\.\d)?)\b"
    r"(?! ?(?:weeks|months|years|days|mg)))|"
    r"(?:[^.;?\d]{0,45}|[^.;?\d]{0,60}\. (?:it|that|the (?:level|value|last (?:one|value)))[^.;?\d]{0,15})"
    r"\b(?:is|'s|now|(?:has|have) been|back (?:up )?to|down to|up to|risen to|fallen to|recovered to)\s+"
    r"(?:now |at |about |around |back |normal |stable |between )*"
    r"(?P<n>\d{1,3}(?:\.\d)?)\b(?! ?(?:weeks|months|years|days|mg))",
    re.IGNORECASE,
)
PASSING = frozenset(
    "uncontrolled_hypertension hyperthyroidism "
    "active_bleeding active_peptic_ulcer acute_myocardial_infarction acute_liver_failure acute_severe_asthma "
    "decompensated_heart_failure cardiogenic_shock metabolic_acidosis diabetic_ketoacidosis hyperkalemia hypokalemia "
    "hyponatremia hypocalcemia hypercalcemia hypoglycemia active_infection active_tuberculosis volume_depletion "
    "urinary_retention gi_obstruction anuria viral_infection".split()
)
_PAST = re.compile(r"\b(?:was|were|used to be|had been|dropped to|fell to)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[.;!?\n]|,\s*(?=(?:but|and|however|so|because|i|my|she|he|can|could|is|what|which|should)\b)|\bbut\b|\bhowever\b",
    re.IGNORECASE,
)

_MEASURES: tuple[tuple[str, re.Pattern[str], float], ...] = (
    (
        "age_years",  # "I'm 38 not 33": what was said before is taken back
        re.compile(
            r"\b(?:i'?m|i am|he's|he is|she's|she is|actually|sorry)(?: actually)? (?P<n>\d{1,3}),? not \d", re.I
        ),
        1.0,
    ),
    (
        "egfr",
        re.compile(
            r"\b(?:e?GFR|CrCl|creatinine clearance|"
            r"filtration rate|kidneys?(?: function)? (?:(?:is|are|was|were) )?(?:only )?(?:at|down to)|"
            r"(?:kidney|renal) function|kidneys? (?:\w+ ){0,4}work\w*)[^\d.;?!]{0,25}"
            r"(?<![A-Za-z])(?P<n>\d{1,3}(?:\.\d)?)(?!\s*(?:weeks|years|mg\b|days|times|hours))",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",
        re.compile(
            rf"\b(?P<n>{_COUNT})(?:\s*\+\s*\d)?[ -]*(?:weeks?|wks?)[ -]*(?:pregnant|gestation|along|"
            r"of (?:pregnancy|gestation)|into (?:my|her|the) pregnancy)",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",  # "22+3 weeks", "22w3d": days beside weeks are used of pregnancies alone
        re.compile(
            r"\b(?P<n>\d{1,2})(?: ?\+ ?[0-6](?:/7)? ?(?:weeks?|wks?|w)| ?w ?[0-6] ?d| [0-6]/7 ?(?:weeks?|wks?))\b", re.I
        ),
        1.0,
    ),
    ("gestation_weeks", re.compile(r"\b(?P<n>\d{1,2})/40\b", re.I), 1.0),
    (
        "gestation_weeks",
        re.compile(r"\bexpecting\b[^?]{0,70}\bsay\w* otherwise\b[^?\d]{0,20}(?P<n>\d{1,2}) (?:weeks|wks)\b", re.I),
        1.0,
    ),
    (
        "gestation_weeks",  # "she was 39 weeks on Sunday", "scan on Friday, 9 weeks"
        re.compile(
            r"\b(?:she|i|wife|daughter) (?:was|am|is|will be|turned|turn|hit) (?P<n>\d{1,2}) weeks "
            r"(?=on |yesterday|today|tomorrow|last |this )|"
            r"\bscan\b[^.?!\d]{0,30}\b(?P<m>\d{1,2}) (?:weeks|wks)\b(?! (?:ago|old|later))",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",
        re.compile(
            r"\b(?:wife|partner|girlfriend|sister|daughter|she|i'?m|i am),? (?:is |"
            r"now )?(?P<n>\d{1,2}) ?(?:weeks|wks)(?=[,.;])|"
            r"\bscan (?:\w+ ){0,3}?(?:says|said|shows|showed|dates|dated|puts|put)(?: (?:me|her|"
            r"us))?(?: at)? (?P<m>\d{1,2}) ?"
            r"(?:weeks|wks)\b",
            re.I,
        ),
        1.0,
    ),
    (
        "gestation_weeks",
        re.compile(
            r"\b(?P<n>\d{1,2})[ -]?(?:weeks?|wks?) with (?:#\d|(?:my|our) (?:first|second|third|fourth))\b", re.I
        ),
        1.0,
    ),
    (
        "gestation_weeks",  # "G2P1 at 30+2"; days after the plus are used of pregnancies alone
        re.compile(
            r"\bG\d ?P\d\w*,?(?: (?:at|now|is|currently))* (?P<n>\d{1,2})(?:\+[0-6])?\b(?! ?(?:y|F|years?)\b)|"
            r"(?:\bat |\bnow |\bis |[,(] ?)(?P<m>[1-4]\d|[5-9])\+[0-6]\b(?! ?(?:mg|mcg|units|ml))",
            re.I,
        ),
        1.0,
    ),
    ("gestation_weeks", re.compile(r"\bpregnan\w+[^\d.;?]{0,20}(?P<n>\d{1,2})[ -]*(?:weeks?|wks?)", re.I), 1.0),
    (
        "gestation_weeks",
        re.compile(rf"\b(?P<n>{_COUNT})[ -]*months?[ -]*(?:pregnant|along|gone|of pregnancy)", re.I),
        4.345,
    ),
    (
        "age_years",
        re.compile(
            r"\b(?P<n>\d{1,3})[ -]?(?:years?|yrs?|y)?[ -]?(?:old\b|of age\b|/o\b|(?<=y)o\b|(?<=y )o\b)",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",  # but not "for 20 years", "x 2 yrs"
        re.compile(
            r"(?<!for )(?<!past )(?<!last )(?<!over )(?<!after )(?<!every )(?<!about )(?<!some )(?<!only )(?<!these )"
            r"(?<!since )(?<!than )(?<!within )(?<![x×*+/.-])(?<![x×] )\b(?P<n>\d{1,3})[ -]?(?:years?|yrs?|y)\b"
            r"(?!\s*(?:ago|history|supply|later|now|since|of (?!age)|on\b|with\b|without\b|after\b|in remission))",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",
        re.compile(
            r"\b(?:aged?|turned|turning|i am|i'?m|he is|he's|she is|she's|(?:son|daughter|child|kid|"
            r"baby|boy|girl|wife|husband|mother|mom|father|dad|grandmother|grandfather|brother|"
            r"sister) is) (?P<n>\d{1,3})(?!\s*(?:weeks|months|"
            r"mg|days|kg|lb|pounds|%|\.\d|years|feet|cm))\b",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",
        re.compile(
            rf"\b(?P<n>(?:{'|'.join(_NUMBERS)}))[ -]years?[ -](?:old|of age)\b|"
            rf"\baged? (?P<m>{'|'.join(_NUMBERS)})\b(?! (?:weeks|months|days))",
            re.I,
        ),
        1.0,
    ),
    ("age_years", re.compile(rf"\b(?P<n>{_COUNT})[ -]?(?:months?|mos?)[ -]old\b", re.I), 1 / 12),
    (
        "age_years",
        re.compile(rf"\b(?P<n>{_COUNT}) ?(?:months?|mos?),? (?:and )?\d{{1,2}}(?:\.\d)? ?kg\b", re.I),
        1 / 12,
    ),
    (
        "age_years",
        re.compile(rf"\b{_YOUNG} (?:of|with|has|have) (?P<n>{_COUNT}) ?(?:months?|mos?)\b(?! ago)", re.I),
        1 / 12,
    ),
    ("age_years", re.compile(rf"\b{_YOUNG} (?:of|with|has|have) (?P<n>{_COUNT}) ?years?\b(?! ago)", re.I), 1.0),
    (
        "age_years",
        re.compile(
            rf"\b(?:will be|turns?|turned) (?P<n>{_COUNT}) (?:months?|mos?)\b(?! (?:ago|since|pregnant|along|gone))",
            re.I,
        ),
        1 / 12,
    ),
    ("age_years", re.compile(rf"\b{_YOUNG} ?[(,] ?(?P<n>{_COUNT}) ?(?:months?|mos?|m)\b(?! ago)", re.I), 1 / 12),
    ("age_years", re.compile(rf"\b{_YOUNG} ?[(,] ?(?P<n>{_COUNT}) ?(?:weeks?|wks?)\b(?! ago)", re.I), 1 / 52),
    ("age_years", re.compile(rf"\b{_YOUNG} ?\( ?(?:aged? )?(?P<n>\d{{1,2}})(?: (?:years?|yrs?))? ?\)", re.I), 1.0),
    (
        "age_years",
        re.compile(
            rf"\b{_YOUNG}(?:'s| is| was|,|:)? (?:(?:now|only|just|about|nearly|almost|barely|aged) )?(?P<n>{_COUNT})"
            r"[ -]?(?:months?|mos?|mths?|m)\b(?! ago)",
            re.I,
        ),
        1 / 12,
    ),
    (
        "age_years",
        re.compile(
            rf"\b{_YOUNG},? (?:is |who(?:'s| is) |aged )?(?P<n>{_COUNT})(?: years?| yrs?| and a half)?(?=[,.;)]|"
            rf"$| and\b| old\b)",
            re.I,
        ),
        1.0,
    ),
    (
        "age_years",
        re.compile(rf"\b{_YOUNG} (?:is|who is|who's) (?P<n>{_COUNT}) (?:years?|yrs?|and a half)\b", re.I),
        1.0,
    ),
    (
        "age_years",
        re.compile(rf"\b(?P<n>{_COUNT})[ -]?(?:months?|mos?|mths?)[ -](?=(?:\w+ )?{_YOUNG}\b)", re.I),
        1 / 12,
    ),
    (
        "age_years",
        re.compile(rf"\b(?:turned|turns|turning) (?P<n>{'|'.join(_NUMBERS)})\b(?! (?:weeks|months|days))", re.I),
        1.0,
    ),
    ("age_years", re.compile(r"(?:^|[(,;:] ?|\ban? )(?P<n>\d{1,3}) ?(?:F|M|W)\b(?! ?(?:units?|IU))"), 1.0),
    (
        "age_years",
        re.compile(
            r"\((?:male|female|man|woman|m|f),? ?(?P<n>\d{1,3})\)|\((?P<m>\d{1,3}),? ?(?:male|female|m|f)\)", re.I
        ),
        1.0,
    ),
    ("age_years", re.compile(rf"\b(?P<n>{_COUNT})[ -]?(?:weeks?|wks?)[ -]old\b", re.I), 1 / 52),
    ("age_years", re.compile(r"\b(?P<n>\d{1,2})[ -]?days?[ -]old\b", re.I), 1 / 365),
    (
        "potassium",
        re.compile(
            r"(?:\bpotassium|\b(?:serum )?(?-i:K)\+?(?= ?(?:is |was |of |at |= ?|: "
            r"?)?\d\.\d))[^\d.;]{0,20}(?P<n>\d(?:\.\d+)?)(?!\d|\s*(?:mg|g\b|meq daily|tablets))",
            re.I,
        ),
        1.0,
    ),
    ("qtc", re.compile(r"\bQTc?[^\d.;]{0,20}(?P<n>[345]\d\d)\b", re.I), 1.0),
    (
        "systolic",
        re.compile(
            r"\b(?:blood pressure|BP|pressure)[^\d.;?!]{0,30}(?P<n>\d{2,3})(?= ?(?:/|over) ?\d{2,3})|"
            r"(?<![\d/.])(?P<m>[12]\d\d) ?/ ?(?:[5-9]\d|1[0-4]\d)\b(?! ?(?:mg|mcg|g\b|ml|%|/))",
            re.I,
        ),
        1.0,
    ),
    (
        "pulse",
        re.compile(
            r"\b(?:(?:resting )?(?:pulse|heart ?rate|HR)|heart (?:\w+ )?beats?)"
            r"(?:(?!\b(?:by|drop|rise|increase)\b)[^\d.;?!%]){0,20}(?P<n>\d{2,3})(?!\d|\s*(?:%|mg|years|days))",
            re.I,
        ),
        1.0,
    ),
    ("weight_kg", re.compile(r"\b(?P<n>\d{1,3}(?:\.\d)?) ?kg\b(?!\s*/)", re.I), 1.0),
    ("weight_kg", re.compile(r"\b(?P<n>\d{2,3}) ?(?:lbs?|pounds)\b", re.I), 0.4536),
)


LONGEST_CLAUSE = 1000
"""Characters to each side of a place that may belong to its clause; what goes on longer has no clauses."""


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
            digits = next(text for text in match.groupdict().values() if text)
            value, end = _NUMBERS.get(digits.lower()) or float(digits), match.end()
            later = _SINCE_THEN.match(plain, end) if _PAST.search(match.group()) else None
            if later is not None:
                value, end = (
                    float(later["n"] or later["m"]),
                    later.end(),
                )  # "was 24 before the transplant and is 71 now"
            found.append((name, value * factor, match.start(), end))
    return found


def own_after_all(plain: str, start: int, end: int) -> bool:
    """Whether the asker claims the condition at *start*, which somebody else was said (not) to have."""
    return "own" in table().about("condition", plain, start, end, first=end)


def denied(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is denied, only feared, or not a statement about anyone."""
    opening = clause_start(plain, start)
    return not _NO_FACT.isdisjoint(table().about("condition", plain, start, end, first=opening, last=end + _AFTER))


def denied_at(plain: str, at: int, *, first: int = 0) -> bool:
    """Whether what stands between *first* and *at* denies what begins at *at*."""
    return "denied" in table().about("condition", plain, at, at, first=first, last=at)


def is_over(plain: str, key: str, start: int, end: int) -> bool:
    """Whether *key*, an illness that passes, is told as one of the past ("bleeding ulcer in 2015, healed")."""
    if key not in PASSING:
        return False
    said = table().about("condition", plain, start, end, last=end + 2 * _AFTER)
    return "over" in said or ("long ago" in said and "still so" not in said)


def taken_back(plain: str, start: int, end: int) -> bool:
    """Whether what stands at *start* is corrected at once ("asthma - no, scrap that, eczema")."""
    return "taken back" in table().about("condition", plain, start, end, first=end)


def is_heard(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* was read or heard of in general."""
    return "heard" in table().about("condition", plain, start, end, first=clause_start(plain, start), last=start)


def in_family(plain: str, start: int, end: int) -> bool:
    """Whether the condition at *start* is told of the patient's family."""
    first, last = clause_start(plain, start), clause_close(plain, end)
    return "family" in table().about("condition", plain, start, end, first=first, last=last)


def clause_start(plain: str, at: int) -> int:
    """Where the clause that holds *at* begins; no farther before it than `LONGEST_CLAUSE`."""
    nearest = max(0, at - LONGEST_CLAUSE)
    ends = [match.end() for match in _CLAUSE_END.finditer(plain, nearest, at)]
    return ends[-1] if ends else nearest


def clause_close(plain: str, at: int) -> int:
    """Where the clause that holds *at* ends; no farther behind it than `LONGEST_CLAUSE`."""
    match = _CLAUSE_END.search(plain, at, at + LONGEST_CLAUSE)
    return match.start() if match else min(len(plain), at + LONGEST_CLAUSE)


def clause(plain: str, at: int) -> str:
    """The clause that holds *at*."""
    return plain[clause_start(plain, at) : clause_close(plain, at)].strip()

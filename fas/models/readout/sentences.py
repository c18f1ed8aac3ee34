"""What a sentence's numbers say: which of two is higher, whether a difference is significant, how many that is.

No words are added if it is unclear which numbers belong together: two quantities of a sentence are compared if they are
shares, or have the same unit, or none and the same kind of word behind them; more than two only if they are set side
by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple


class Note(NamedTuple):
    """Words and the character of the text before which they belong."""

    place: int
    words: str

    def shift(self, by: int) -> Note:
        """The note in a text in which its own begins at *by*."""
        return Note(self.place + by, self.words)


_SIGNIFICANT = 0.05
# "HR" is also a heart rate.
_LARGEST_RATIO = 40
# What is longer is a table without full stops.
_LONGEST_SENTENCE = 1500

# Some journals print the decimal point as a raised one.
_NUMBER = r"(?:(?:\d{1,3}(?:,\d{3})++|\d++)(?:[.·]\d++)?|[.·]\d++)"
_DASH = r"(?:-|–|−|to|,|through)"
_SIGNED = rf"(?:−\s?|[-–+])?{_NUMBER}"
_WORDS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()
_WORD_VALUE = {word: float(i) for i, word in enumerate(_WORDS, 1)} | {
    word: 10.0 * i for i, word in enumerate("thirty forty fifty sixty seventy eighty ninety".split(), 3)
}

_TELLS = re.compile(r"\d|\b[Pp]\s*=\s*(?:NS|ns)\b")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(]*[A-Z])")
_RANGE = rf"\(?\s*+(?P<low>{_SIGNED})\s*+%?\s*+{_DASH}\s*+(?P<high>{_SIGNED})"
_CI = r"(?:\d\d(?:\.\d)?\s*%\s*)?(?:C\.?I\.?|CrI|confidence\s+intervals?|credible\s+intervals?)"
_PERIOD = r"[\s-](?:day|week|month|year)"
_RATIO = re.compile(
    r"(?:\b(?i:(?:hazards?|odds|risk|rate|prevalence|incidence)\s+ratios?|relative\s+risks?)\b"
    rf"(?:[^.;\d]|\b\d+{_PERIOD}){{0,80}}?"
    r"|\b(?:a?HR|a?OR|a?RR|IRR)\b[\s:=,(\[]*(?:(?:of|was|is)\s+)?)"
    rf"(?P<value>{_NUMBER})(?!{_PERIOD})"
    rf"(?:\s*[,;:(\[]*\s*(?:(?:[^.;\d]{{0,80}}?[\s(\[]{_CI})[\s,:=]*+)?{_RANGE})?"
)
_DIFFERENCE = re.compile(rf"(?i:difference)(?:[^.;]|\.\d){{0,80}}?{_CI}[\s,:=]*+{_RANGE}")
_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_P_VALUE = re.compile(
    r"\b[Pp](?:[\s-]?values?)?(?:\s+for\s+\w+)?\s*(?P<sign>=|<|>|≤|≥|&lt;|&gt;|of|was)\s*"
    r"(?:(?P<value>0?[.·]\s?\d+|1[.·]0+)|NS\b|ns\b)"
)
_TIME = r"(?:days?|weeks?|months?|years?|hours?|minutes?|h|cycles?)"
_NO_RESULT = re.compile(
    "|".join(
        (
            # intervals, spreads and ranges
            rf"(?i:{_CI})[\s,:=]*+{_RANGE.replace('?P<low>', '?:').replace('?P<high>', '?:')}",
            r"\d\d(?:\.\d)?\s*%\s*(?i:CI\b|confidence|credible)",
            rf"\b(?i:IQR|interquartile range|range|SD|SE|SEM)\b[\s,:=]*{_SIGNED}(?:\s*{_DASH}\s*{_SIGNED})?",
            rf"(?:±|\+/-)\s*{_NUMBER}",
            rf"[(\[]\s*{_SIGNED}\s*(?:-|–|to|,)\s*{_SIGNED}\s*[)\]]",
            rf"(?<![\w.·]){_NUMBER}\s?[-–]\s?{_NUMBER}(?![\w.·])",
            # statistics of tests
            rf"\b(?:F|t|r|z|df|(?i:chi)[\s-]*(?i:squared?)?|χ2)\s*(?:\([^()]{{0,20}}\))?\s*=\s*{_SIGNED}",
            # how many were studied
            rf"\b[nN]\s*=\s*{_NUMBER}",
            rf"(?:^|[;,]\s*(?:and\s+)?)(?i:of)\s+(?:the\s+)?{_NUMBER}(?!\s?%)",
            rf"\b(?i:between)\s+{_NUMBER}[^\d.;,]{{0,20}}\band\s+{_NUMBER}",
            # when, and for how long
            rf"\b(?i:at|after|in|within|over|for|during|the first|every)\s+(?:the\s+)?(?:first\s+)?"
            rf"\d++(?![.·]\d)(?:\s*(?:-|to|–|and)\s*\d++)?[\s-]*(?:person-|patient-)?{_TIME}\b",
            rf"\b{_MONTH}\s+\d\d?\b(?!\s*%)|\b\d\d?\s+{_MONTH}",
            r"\b(?:19|20)\d\d\b(?!\s*%)",
            r"\b\d\d?:\d\d\b",
            rf"{_NUMBER}\s*(?:years?|months?)\s*(?:old|of age)\b",
            # powers of ten
            rf"(?:(?<![\w.·]){_NUMBER}\s?)?×\s?10\s?(?:[-–−]\s?)?\d+",
            # numbers that are names
            r"\b(?i:days?|weeks?|months?|years?|phases?|stages?|grades?|(?:geno)?types?|arms?|groups?|cohorts?|cycles?|dose|"
            rf"age[ds]?)\s+{_NUMBER}(?:\s*(?:-|to|–|and|or)\s*{_NUMBER}(?![.\d]|\s?[%/]|\s+(?:of|among)\b))?",
            r"\b(?i:tables?|fig(?:ures?|\.)?|refs?\.?)\s*\d\w*",
            rf"{_NUMBER}-(?:year|month|week|day|hour|point|item|fold|mg|mm|cm)\b",
            rf"\b[A-Za-z]+-?\d+\b|(?<![\w.·]){_NUMBER}[A-Za-z]\w*",
            # denominators
            rf"\b(?i:per)\s+{_NUMBER}",
            r"/\s?1[.·]73\b",
            # what had to be reached
            r"(?:\b(?i:at least|at most|no (?:more|less|fewer) than|above|below|exceeding)\s+|[≥≤]\s?)"
            rf"{_NUMBER}(?:\s?%)?",
            rf"(?<![\w.·]){_NUMBER}(?:\s?%)?\s+(?i:or)\s+(?i:more|less|fewer|greater|higher|lower|above|below)\b",
        )
    )
)
_CHANGE = re.compile(
    rf"\bfrom\s+(?:a\s+\w+\s+of\s+)?(?P<before>{_SIGNED})[^\d;]{{0,30}}?\s*"
    rf"\bto\s+(?:a\s+\w+\s+of\s+)?(?P<after>{_SIGNED})(?:\s?%)?"
)
# "3 in one group among 200" is no share of 200.
_OTHERS = r"(?:in|on|with|for|at|by|of|per|from|to|than|and|or|vs|versus)\b"
_QUANTITY = re.compile(
    rf"(?<![\w.,·])(?P<sign>−\s?|[-–+])?(?:(?P<number>{_NUMBER})"
    rf"|(?P<word>\b(?i:{'|'.join(_WORD_VALUE)})\b(?=\s+(?:of\s+(?:the\s+)?\d|per\s?cent\b))))"
    rf"(?:(?:\s*(?:of|/|out\s+of)|(?:\s+(?!{_OTHERS})[A-Za-z-]+){{0,4}}?\s+among(?:st)?\b)\s*(?:the\s+|all\s+)?"
    rf"(?P<total>{_NUMBER})(?![\w/]))?"
    r"(?P<percent>\s?(?:%|per\s?cent\b))?"
    rf"(?:\s*\(\s*(?P<share>{_NUMBER})\s?%\s*\))?"
    r"(?![.·,]?\d|\+)"
)
_NEXT = re.compile(r"\s*([A-Za-zµ°²³/^]+|[(,;:]|$)")
_LINK = re.compile(r"\b(?:vs|versus|and|or|compared\s+(?:with|to)|against|than)\b\.?", re.I)
_SIDE_BY_SIDE = re.compile(r"\s*(?:and|or)\s*")
_VERSUS = re.compile(r"\b(?:vs|versus|compared\s+(?:with|to)|against)\b", re.I)
# Behind a number without a unit.
_BARE = frozenset(
    "in with for on at among amongst after before under during and vs versus against than compared while whereas when "
    "following without by to respectively but ( , ; :".split()
) | {""}

_AMOUNTS = (
    (0, "none"), (10, "few"), (45, "a minority"), (55, "about half"), (90, "most"), (99.99, "nearly all"),
)  # fmt: skip
# Points of a percentage by which a share and its rounded form may differ.
_ROUNDED = 0.6
# How much was given is no result.
_DOSES = frozenset("mg mcg µg ug mg/kg mg/m iu units mg/day mg/d g/day ml/kg".split())
# Said of both groups together.
_OF_BOTH = re.compile(r"\bdifference(?:\s+(?:of|was))?\s*$", re.I)
_CHANGE_BEFORE = re.compile(
    r"\b(?:increase|decrease|reduction|improvement|gain)\s+of\s+(?:about\s+|nearly\s+|roughly\s+|over\s+)?$", re.I
)
_BY = re.compile(r"\bby\s+(?:about\s+|nearly\s+|roughly\s+|over\s+|an?\s+\w+\s+of\s+)?$", re.I)
# "Not significantly reduced (hazard ratio 0.95)"
_DENIES = re.compile(r"\b(?:not?|nor|neither|similar|comparable)\b", re.I)
_CHANGE_BEHIND = re.compile(r"\s*(?:relative\s+|absolute\s+)?(?:increase|decrease|reduction|improvement)", re.I)
_SHARE = re.compile(r"\b(?:proportion|percentage|share|prevalence)\b", re.I)


class _Quantity(NamedTuple):
    """A number of a sentence, or a count as the share it is.

    Attributes:
        end: Where it ends, with its total, its per cent sign and its share in brackets.
        unit: "%", the word behind it, or "" where that is no unit.
        counted: Whether it is a share of people or things counted.
    """

    start: int
    end: int
    value: float
    unit: str
    counted: bool


def sentence_notes(text: str) -> list[Note]:
    """Words to put into *text*, each with its place."""
    return [note.shift(start) for start, end in _split_sentences(text) for note in _note_sentence(text[start:end])]


def _split_sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _SENTENCE.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def _note_sentence(sentence: str) -> list[Note]:
    if len(sentence) > _LONGEST_SENTENCE or not _TELLS.search(sentence):
        return []
    notes: list[Note] = []

    def hide(pattern: re.Pattern[str], text: str) -> str:
        return pattern.sub(lambda match: "\0" * len(match.group()), text)

    for match in _RATIO.finditer(sentence):
        note = "" if match["low"] is None and _DENIES.search(sentence) else _describe_ratio(match)
        if note:
            notes.append(Note(match.end(), f", {note}"))
    rest = hide(_RATIO, sentence)
    for match in _DIFFERENCE.finditer(rest):
        low, high = _parse_number(match["low"]), _parse_number(match["high"])
        notes.append(Note(match.end(), ", significant" if low > 0 or high < 0 else ", not significant"))
    for match in _P_VALUE.finditer(rest):
        is_significant = _is_significant(match["sign"], match["value"])
        if is_significant is not None:
            notes.append(Note(match.end(), ", significant" if is_significant else ", not significant"))
    return notes + _note_results(hide(_NO_RESULT, hide(_P_VALUE, rest)))


def _describe_ratio(match: re.Match[str]) -> str:
    """What an effect ratio says, of which 1 is no effect."""
    value = _parse_number(match["value"])
    if match["low"] is None:
        is_ratio = "." in match["value"] and value != 1 and value < _LARGEST_RATIO
        return "" if not is_ratio else "higher" if value > 1 else "lower"
    low, high = _parse_number(match["low"]), _parse_number(match["high"])
    if not 0 < low <= value <= high or value >= _LARGEST_RATIO:
        return ""
    return "significantly higher" if low > 1 else "significantly lower" if high < 1 else "no significant difference"


def _is_significant(sign: str, value: str | None) -> bool | None:
    if value is None:
        return False  # "P = NS"
    p = _parse_number(value.replace(" ", ""))
    if sign in (">", "≥", "&gt;"):
        return False if p >= _SIGNIFICANT else None
    return p <= _SIGNIFICANT if sign in ("<", "≤", "&lt;") else p < _SIGNIFICANT


def _note_results(sentence: str) -> list[Note]:
    """Notes on what is compared in a sentence without its intervals, P values and times."""
    changes = list(_CHANGE.finditer(sentence))
    if changes:
        return list(_note_changes(changes))
    notes: list[Note] = []
    start = 0
    for part in sentence.split(";"):
        notes += [note.shift(start) for note in _compare_quantities(part)]
        start += len(part) + 1
    # "Of 81 on A, 5% had it; of 278 on B, 12%."
    notes = notes or list(_compare_quantities(sentence))
    if notes:
        return notes
    shares = [quantity for quantity in _find_quantities(sentence) if quantity.counted]
    return [Note(shares[0].end, f" ({_describe_share(shares[0].value)})")] if len(shares) == 1 else []


def _compare_quantities(part: str) -> Iterator[Note]:
    units: dict[str, list[_Quantity]] = {}
    for quantity in _find_quantities(part):
        units.setdefault(quantity.unit, []).append(quantity)
    for unit, own in units.items():
        if unit in _DOSES:
            continue
        if len(own) > 2:  # "from 25% and 32%, an increase of 7%"
            own = [quantity for quantity in own if not _is_change(part, quantity)]
        if len(own) == 2:
            yield from _compare_couple(own, by=all(_BY.search(_text_before(part, quantity.start)) for quantity in own))
        elif any(_BY.search(_text_before(part, quantity.start)) for quantity in own):
            continue  # what a treatment did to several things
        elif len(own) == 3 and all(len(part[a.end : b.start]) < 60 for a, b in pairwise(own)):
            yield from _rank_quantities(own)
        elif len(own) > 2 and len(own) % 2 == 0:
            couples = [own[i : i + 2] for i in range(0, len(own), 2)]
            between = [part[a.end : b.start] for a, b in couples]
            if all(map(_VERSUS.search, between)) or (unit and all(map(_SIDE_BY_SIDE.fullmatch, between))):
                for couple in couples:
                    yield from _compare_couple(couple)


def _find_quantities(part: str) -> list[_Quantity]:
    found: list[_Quantity] = []
    says_share = _SHARE.search(part) is not None
    for match in _QUANTITY.finditer(part):
        if _OF_BOTH.search(_text_before(part, match.start())):
            continue
        value = _WORD_VALUE[match["word"].lower()] if match["word"] else _parse_number(match["number"])
        following = _NEXT.match(part, match.end())
        word = following[1].lower() if following else ""
        counted, unit = False, "" if word in _BARE else word
        if match["total"] and not match["percent"]:
            total = _parse_number(match["total"])
            if value > total or total == 0:
                continue
            value, unit = 100 * value / total, "%" if total > 10 else f"of {total}"  # else a score
            counted = total > 10 and total != 100
        elif match["share"] and not match["percent"]:
            value, unit, counted = _parse_number(match["share"]), "%", True
        elif match["percent"]:
            unit, counted = "%", (word == "of" or says_share) and 0 <= value <= 100
        if match["sign"] and match["sign"][0] in "-−–":
            value = -value
        quantity = _Quantity(match.start(), match.end(), value, unit, counted)
        if unit == "%" and found and _is_repeated(part, found[-1], quantity):
            continue
        if found and unit and not found[-1].unit and _LINK.fullmatch(part[found[-1].end : match.start()].strip()):
            found[-1] = found[-1]._replace(unit=unit)  # "216 and 295 mg/dL"
            for i in range(len(found) - 2, -1, -1):  # "174, 216 and 295 mg/dL"
                if found[i].unit or part[found[i].end : found[i + 1].start].strip() != ",":
                    break
                found[i] = found[i]._replace(unit=unit)
        found.append(quantity)
    return found


def _is_repeated(part: str, first: _Quantity, second: _Quantity) -> bool:
    """Whether a share is repeated in brackets: "3 of 96 patients (3.1%)"."""
    return first.unit == "%" and part[second.start - 1] in "([" and abs(second.value - first.value) < _ROUNDED


def _is_change(part: str, quantity: _Quantity) -> bool:
    before = _CHANGE_BEFORE.search(_text_before(part, quantity.start))
    return bool(before or _CHANGE_BEHIND.match(part, quantity.end))


def _text_before(part: str, place: int) -> str:
    return part[max(0, place - 30) : place]


def _compare_couple(couple: list[_Quantity], *, by: bool = False) -> Iterator[Note]:
    """Which of two is higher; of two changes told with "by", which is the larger."""
    first, second = couple
    if first.value == second.value:
        words = ("the same", "the same")
    elif by and first.value * second.value >= 0:
        words = ("by less", "by more") if abs(first.value) < abs(second.value) else ("by more", "by less")
    elif first.value < 0 and second.value < 0:
        words = ("larger fall", "smaller fall") if first.value < second.value else ("smaller fall", "larger fall")
    else:
        words = ("lower", "higher") if first.value < second.value else ("higher", "lower")
    for quantity, word in zip(couple, words, strict=True):
        yield Note(quantity.end, f" ({word})")


def _rank_quantities(own: list[_Quantity]) -> Iterator[Note]:
    values = sorted(quantity.value for quantity in own)
    if len(set(values)) < len(values):
        return
    falls = values[-1] < 0
    for quantity in own:
        if quantity.value == values[0]:
            yield Note(quantity.end, " (largest fall)" if falls else " (lowest)")
        elif quantity.value == values[-1]:
            yield Note(quantity.end, " (smallest fall)" if falls else " (highest)")


def _note_changes(changes: Iterable[re.Match[str]]) -> Iterator[Note]:
    moved = [(match.end(), _parse_number(match["after"]) - _parse_number(match["before"])) for match in changes]
    words = ["higher" if by > 0 else "lower" if by < 0 else "the same" for _, by in moved]
    if len(moved) == 2 and abs(moved[0][1]) != abs(moved[1][1]):
        further = int(abs(moved[1][1]) > abs(moved[0][1]))
        words[further] += ", changed more"
        words[1 - further] += ", changed less"
    for (end, _), word in zip(moved, words, strict=True):
        yield Note(end, f" ({word})")


def _describe_share(share: float) -> str:
    """A share of people, in per cent, as one would say it."""
    return next((said for limit, said in _AMOUNTS if share <= limit), "all")


def _parse_number(number: str) -> float:
    value = float(number.lstrip("-−–+ ").replace(",", "").replace("·", "."))
    return -value if number[0] in "-−–" else value

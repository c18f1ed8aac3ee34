"""Numbers as they are written beside a drug, and the words that make one the most allowed."""

from __future__ import annotations

from fas.text.reading.pattern_tables import load_patterns

COUNTS = {
    "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "five": 5.0, "six": 6.0, "seven": 7.0, "eight": 8.0,
    "nine": 9.0, "ten": 10.0, "eleven": 11.0, "twelve": 12.0, "thirteen": 13.0, "fourteen": 14.0, "fifteen": 15.0,
    "sixteen": 16.0, "seventeen": 17.0, "eighteen": 18.0, "nineteen": 19.0,
}  # fmt: skip
"""Counts below twenty in words."""
TENS = {
    "twenty": 20.0,
    "thirty": 30.0,
    "forty": 40.0,
    "fifty": 50.0,
    "sixty": 60.0,
    "seventy": 70.0,
    "eighty": 80.0,
    "ninety": 90.0,
}
"""Tens in words; ages have them, with a count below ten or without."""
_WORDS = {
    **COUNTS, "a": 1.0, "an": 1.0, "half": 0.5, "half a": 0.5, "half an": 0.5, "½": 0.5,
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
SPELLED = "|".join(sorted((*_TENS, "five", "ten", "two", "four", "six", "eight"), key=len, reverse=True))
# A space parts thousands only before "000": "60 300 mg" is sixty of 300 mg, or two numbers that lost what parted them.
DIGITS = r"(?:\d{1,3}(?:(?:,\d{3})+|(?: \d{3})* 000)(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+|[½¼¾])"
NUMBER = (
    rf"(?:[1-3]/[2-4](?!\d)|{DIGITS}|half an?|"
    r"half|an?(?: single)?|single|one|two|"
    r"three|four|five|six|seven|eight|nine|ten|twelve)"
)
QUANTITIES = load_patterns(__file__)


def parse_number(text: str) -> float:
    """The value of a number written in digits, with separators, or as a word.

    >>> parse_number("1,200"), parse_number("½"), parse_number("two")
    (1200.0, 0.5, 2.0)
    """
    text = text.strip().lower()
    return _WORDS[text] if text in _WORDS else float(text.replace(",", "").replace(" ", ""))


def is_maximum(text: str, start: int) -> bool:
    """Whether the words before *start* give what follows as the most allowed ("no more than")."""
    return QUANTITIES.most.search(text[max(0, start - 50) : start]) is not None

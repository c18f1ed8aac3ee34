"""No pattern of the package runs on: with the length of its text, its time grows as the square at most."""

from __future__ import annotations

import re
import sys

import pytest
from every_pattern import collected, run, texts
from processor_time import LEAST, TooLong, at_most, seconds_of

from fas.claims.extractor import SpacyClauses
from fas.claims.llm.lines import parse_lines
from fas.core.records import Answer
from fas.evidence.query import concepts
from fas.llm.messages import Reply
from fas.models.readout import read_out
from fas.safety.checker import SafetyChecker
from fas.text.choices.reading import read_choice
from fas.verify.llm_verdict import read_verdict

pytestmark = pytest.mark.slow

ANSWER = """## What to do
Take 500 mg of Zestoril and 5 mg of amoxicillin twice a day for 7 days, but not with alcohol if you have asthma.

1. **Paracetamol**: up to 4 g a day.
2. Avoid ibuprofen: it isn't safe in pregnancy.

| Drug | Dose |
|------|------|
| Warfarin | 5 mg daily |
"""
# Seconds after which a text is looked at further: a cube of 2,000 steps takes far longer on any machine.
AT_ONCE = 0.06
SQUARE = 2**2.6  # a doubled text of a square takes four times as long; a cube, eight times


def texts_go_through() -> None:
    """What is compiled only while something is read."""
    answer = Answer("1", ANSWER, question="Can I take warfarin with it?")
    SpacyClauses(cache=False).extract([answer])
    SafetyChecker().check([answer])
    read_out("Mortality was 5% vs 10% (HR 0.5, 95% CI 0.3 to 0.8; P<0.001).")
    read_verdict(Reply("The claim is true."), shown=[ANSWER])
    parse_lines("- Aspirin helps.")
    read_choice("(A)", {"A": "yes", "B": "no"})
    concepts("Aspirin lowers the risk of stroke.")


@pytest.fixture(scope="module")
def every() -> dict[tuple[str, int], tuple[str, set[str]]]:
    return collected(texts_go_through)


def growth(pattern: re.Pattern[str], method: str, front: str, unit: str, tail: str) -> float | None:
    """By what the time is multiplied where the text is doubled; None where that is too short to be measured.

    The least of three measurements each, of the first pair of texts whose shorter one can be measured. A text may
    take twice what a cube would make of the time of the one before, so one that does not end has grown by more.
    """
    before, n = LEAST, 8
    while n * len(unit) < 32_000:
        text = front + unit * n + tail
        try:
            with at_most(max(1, 50 * before)):
                now = min(seconds_of(lambda: run(pattern, method, text)) for _ in range(3))  # noqa: B023
        except TooLong:
            return float("inf")
        if before > LEAST:
            return now / before
        before, n = max(now, LEAST), 2 * n
    return None


def found_slow(every: dict[tuple[str, int], tuple[str, set[str]]], length: int, *, whole: bool) -> list[str]:
    """The patterns whose time grows faster than the square, each with the text that shows it."""
    slow = []
    for (source, flags), (where, used) in sorted(every.items(), key=lambda item: item[1][0]):
        pattern = re.compile(source, flags)
        for method, front, unit, tail in texts(source, flags, used):
            if not whole and tail != "\x00":
                continue
            text = front + unit * (length // len(unit)) + tail
            try:
                with at_most(AT_ONCE):
                    run(pattern, method, text)
            except TooLong:
                grown = growth(pattern, method, front, unit, tail)
                if grown is not None and grown > SQUARE:
                    slow.append(f"{where}: {method} of {front!r} + {unit!r} * n + {tail!r}: times {grown:.1f}")
                    break
    return slow


def test_no_pattern_grows_faster_than_the_square(every):
    assert found_slow(every, 1_000, whole=False) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="measures processor time by a signal")
def test_no_pattern_grows_faster_than_the_square_on_any_text(every):
    assert found_slow(every, 2_000, whole=True) == []

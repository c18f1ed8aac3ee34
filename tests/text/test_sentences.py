"""Sentence boundaries in evidence: cases split by hand, and what holds for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.text.sentences import sentence_spans


def split(text):
    return [text[start:end] for start, end in sentence_spans(text)]


# Each case is a text with " | " where a reader would break it.
CASES = [
    "One sentence. | Another one.",
    "Is it safe? | It is! | Nobody knows.",
    "Smith et al. reported a benefit. | Later trials did not.",
    "The effect was small, as Jones et al. (2019) found. | It faded.",
    "We compared metformin vs. placebo in 40 adults. | Both were tolerated.",
    "Give 0.5 mg/kg q8h. | Do not exceed 4.5 g per day.",
    "The difference was significant at p = 0.05. | No harm was seen.",
    "The odds ratio was 1.5 (95% CI 1.1-2.0). | This held after adjustment (p < .001).",
    "Fig. 2 shows the curve. | See Table 3 for details.",
    "J. Smith and A. B. Jones wrote it. | Nobody read it.",
    "Supplements of vitamin D. | They help in deficiency.",
    "She was vaccinated against hepatitis B. | He was not.",
    "E. coli was found in 12 samples. | S. aureus was not.",
    "Treat infections, e.g. with amoxicillin, i.e. a penicillin. | Stop after a week.",
    "The dose was approx. 20 mg. | It was taken b.i.d. | Most patients improved.",
    "Dr. Lee saw Mr. Wong at 9 a.m. | He left at noon.",
    "It was sold in the U.S. | Europe followed.",
    'He said "it works." | She agreed (mostly). | They left.',
    "BACKGROUND: Little is known. | METHODS: We searched. | RESULTS: 12 of 40 (30%) died.",
    "The mean age was 54.3 years. | 60% were women.",
    "Levels fell by 3.2 mmol/L. | β-blockers were continued.",
    "Values were low. | <5% recovered. | ≥10 relapsed.",
    "Take one tablet. | Then rest...  | Call if worse.",
    "The answer is no. | (See the appendix.) | It ends here.",
    "Vitamin C No. 3 was used vs. no. 4 in group 2. | We saw no change.",
    "Doses were 5 mg, 10 mg, etc. | All were safe.",
    "Patients with i.v. access got 1.5 L of saline. | Others drank.",
    "Rats rested for 30 min. | The others ran for 12 wk. | Weights rose (no. 4 excepted).",
    "Is it safe? | No. | It harms.",
    "Stop? | β-blockers should not be stopped at once.",
    "ph of 7.4 was normal. | pH 7.1 was not.",
]


@pytest.mark.parametrize("case", CASES)
def test_a_text_is_split_where_a_reader_would(case):
    expected = [part.strip() for part in case.split(" | ")]
    assert split(case.replace(" | ", " ")) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("no full stop", ["no full stop"]),
        ("Heading\n\nThe text follows. It ends", ["Heading", "The text follows.", "It ends"]),
        ("Steps:\n- wash hands\n- rinse\n* dry", ["Steps:", "- wash hands", "- rinse", "* dry"]),
        ("Do this:\n1. Rest.\n2. Drink water.\n10) Sleep", ["Do this:", "1. Rest.", "2. Drink water.", "10) Sleep"]),
        ("1. Introduction", ["1. Introduction"]),
        ("A line\nthat goes on. Next", ["A line\nthat goes on.", "Next"]),
        ("Wait?! Really.", ["Wait?!", "Really."]),
        ("It works.It does.", ["It works.It does."]),
        (
            "See doi.org/10.1000/x.y and www.who.int. Then stop.",
            ["See doi.org/10.1000/x.y and www.who.int.", "Then stop."],
        ),
    ],
)
def test_blank_texts_headings_lists_and_wrapped_lines(text, expected):
    assert split(text) == expected


PIECES = st.sampled_from(
    ["a", "B", "al.", "vs.", "e.g.", "D.", "1.", "0.5", ".", "!", "?", '"', ")", "(", " ", "  ", "\n", "\n\n", "- ",
     "μ", "\t"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
@settings(max_examples=400)
def test_spans_are_in_order_apart_and_cover_everything_but_space(text):
    spans = sentence_spans(text)
    covered: set[int] = set()
    end_before = 0
    for start, end in spans:
        assert end_before <= start < end <= len(text)
        assert text[start:end] == text[start:end].strip()
        covered.update(range(start, end))
        end_before = end
    assert all(text[i].isspace() for i in range(len(text)) if i not in covered)

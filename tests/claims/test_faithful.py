"""What holds for every claim of the rules, whatever the answer: its words, its numbers, its denials, and the work it takes."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.claims.clauses import numbers_and_negations
from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer

PUT_IN = frozenset(
    "patient patients people doctor they them their themselves oneself should not no be is are was were do does did has have had will would "
    "a an the of for at avoid include includes including includes recommended advised suggested and or s has under some possibly probably usually "
    "sometimes cannot that".split()
)
"""Words that the rules may put into a claim."""
STATEMENTS = [
    "Metformin lowers blood sugar and does not cause weight gain.",
    "Take 500 mg twice a day, but not with alcohol.",
    "Ibuprofen should not be taken in the third trimester, and paracetamol is safe.",
    "If symptoms last more than 10 days, see a doctor and do not drive.",
    "In adults with asthma, salbutamol opens the airways, and steroids reduce inflammation.",
    "It causes nausea, diarrhea, and a metallic taste in 20% of users.",
    "Statins, which lower cholesterol, are never given without a test.",
    "Although rest helps, no drug cures it.",
    "Neither aspirin nor ibuprofen is safe.",
    "You should not stop your medication without asking your doctor.",
    "Symptoms include:\n- fever above 38.5 °C\n- no appetite\n",
    "| Drug | Dose |\n|---|---|\n| Metformin | 500 mg |\n| Aspirin | not in children |\n",
    "**Warfarin:** do not take it with aspirin.",
]


def words_of(text: str) -> set[str]:
    """Words in a plain form: without endings, as the rules may give a verb another number."""
    return {re.sub(r"(?:ies|es|s|y)$", "", word) for word in re.findall(r"[^\W\d_]+", text.lower())}


@pytest.fixture(scope="module")
def extractor() -> SpacyClauses:
    return SpacyClauses(cache=False)


def foreign_words(extractor: SpacyClauses, answer: Answer) -> set[str]:
    known = words_of(answer.prediction) | words_of(answer.question or "") | words_of(" ".join(PUT_IN))
    return {word for claim in extractor.extract([answer])[0] for word in words_of(claim.text) - known}


def lost(extractor: SpacyClauses, answer: Answer) -> set[str]:
    """Numbers and denials of the answer that are in none of its claims."""
    claims = extractor.extract([answer])[0]
    return numbers_and_negations([answer.prediction]) - numbers_and_negations(claim.text for claim in claims)


@given(st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_every_word_of_a_claim_comes_from_the_answer_or_a_closed_list(extractor, texts):
    assert foreign_words(extractor, Answer("1", "\n\n".join(texts))) == set()


@pytest.mark.parametrize("text", STATEMENTS)
def test_no_number_and_no_denial_is_lost(extractor, text):
    assert lost(extractor, Answer("1", text)) == set()


@given(st.lists(st.sampled_from(STATEMENTS), min_size=2, max_size=4))
@settings(max_examples=30, deadline=None)
def test_no_number_and_no_denial_is_lost_among_other_sentences(extractor, texts):
    assert lost(extractor, Answer("1", "\n\n".join(texts))) == set()


def calls_of(extractor: SpacyClauses, text: str, question: str | None = None) -> int:
    """How many Python functions are called to extract the claims of *text*."""
    count = 0

    def seen(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    sys.setprofile(seen)
    try:
        extractor.extract([Answer("1", text, question)])
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        "Metformin lowers sugar and causes nausea. ",
        "It helps, which is good, and it does not hurt, ",
        "- fever\n",
        "| a | b |\n",
        "Yes. ",
        "A, ",
        "and or ",
        "((((",
        "**Do not:** take it. ",
        "If if if ",
        "not ",
        "“",
    ],
)
def test_twice_the_text_takes_twice_the_work(extractor, unit):
    question = "Does metformin help?"
    calls_of(extractor, unit * 5, question)
    once, twice = (calls_of(extractor, unit * (n // len(unit)), question) for n in (6_000, 12_000))
    assert twice < 2.4 * once


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("During pregnancy, ibuprofen is not recommended, but paracetamol is safe.",
         ["During pregnancy, ibuprofen is not recommended.", "During pregnancy, paracetamol is safe."]),
        (
            "In children under 12, codeine should be avoided, and tramadol is not recommended.",
            [
                "In children under 12, codeine should be avoided.",
                "In children under 12, tramadol is not recommended.",
            ],
        ),
        ("In adults, the dose is 10 mg, and children should take 5 mg.",
         ["In adults, the dose is 10 mg.", "Children should take 5 mg."]),
        ("- **Under 3 months:** Call a doctor.", ["Under 3 months, patients should call a doctor."]),
    ],
)  # fmt: skip
def test_a_condition_or_population_in_front_is_carried_into_every_part(extractor, text, claims):
    assert [claim.text for claim in extractor.extract([Answer("1", text)])[0]] == claims

"""Whole answers, spans, hostile input, batches, and what holds for every claim: its words, numbers, denials and work."""

# ruff: noqa: E501 - word lists and patterns are easier to check on one line

from __future__ import annotations

import re
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.claims.cached import rules_digest
from fas.claims.clauses import numbers_and_negations
from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer
from fas.models.parser import load_parser

ANSWER = """Escitalopram is an antidepressant. It can cause nausea, headache and insomnia.

## Side effects
Common side effects include:
- nausea
- **dry mouth**
  - thirst

| Drug | Usual dose |
|---|---|
| Ibuprofen | 400 mg |

1. Drink plenty of fluids.
2. Do not take an extra dose.
"""


def check(prediction, claims):
    """What must hold of any claims of any text."""
    places = []
    for claim in claims:
        assert 0 <= claim.start < claim.end <= len(prediction)
        assert prediction[claim.start : claim.end].strip()
        assert claim.text.endswith(".")
        assert claim.text == claim.text.strip()
        claim.text.encode("utf-8")
        places.append((claim.start, claim.end))
    assert places == sorted(places)
    assert len({claim.text.lower() for claim in claims}) == len(claims)


def test_a_pipeline_given_is_named_by_its_own_name():
    import spacy

    blank = spacy.blank("en", meta={"name": "odd: name", "version": "2"})
    signature = SpacyClauses(nlp=blank).signature
    assert signature == f"spacy[en_odd__name@2,rules={rules_digest()[:8]}]"


def test_a_whole_answer_keeps_its_order_and_spans(extractor):
    claims = extractor.extract([Answer("1", ANSWER, "What is escitalopram?")])[0]
    check(ANSWER, claims)
    assert len(claims) >= 8


def test_company_in_the_batch_changes_nothing(extractor):
    others = [Answer(str(n), f"Drug {n} can cause nausea and dizziness. Take it with food.") for n in range(20)]
    alone = extractor.extract([Answer("x", ANSWER)])[0]
    together = extractor.extract([*others[:7], Answer("x", ANSWER), *others[7:]])[7]
    assert alone == together
    assert extractor.extract([Answer("x", ANSWER)])[0] == alone


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=300))
def test_random_text_is_read(prediction):
    check(prediction, SpacyClauses(nlp=load_parser()).extract([Answer("1", prediction)])[0])


PUT_IN = frozenset(
    "patient patients people doctor they them their themselves oneself should not no be is are was were do does did has have had will would "
    "a an the of for at avoid include includes including includes recommended advised suggested and or s has under some possibly probably usually "
    "sometimes cannot that".split()
)


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


def test_a_sentence_of_the_words_of_a_yes_no_question_is_an_answer():
    answers = [
        Answer("1", "Aspirin relieves pain.", "Does aspirin relieve pain?"),
        Answer("2", "Relieves pain.", "What relieves pain?"),
    ]
    assert [[claim.text for claim in claims] for claims in SpacyClauses(cache=False).extract(answers)] == [
        ["Aspirin relieves pain."],
        [],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Primaquine not only eliminates the blood stages but also kills the liver stages.",
        "No drug, which is surprising, cures the common cold.",
        "It is unclear whether metformin, which lowers sugar, prevents cancer.",
        "The scan showed swelling, which suggests that the infection has spread.",
    ],
)
def test_what_is_said_of_the_whole_sentence_stays_in_it(extractor, text):
    assert [claim.text for claim in extractor.extract([Answer("1", text)])[0]] == [text]


@pytest.mark.parametrize(
    ("question", "prediction", "claim"),
    [
        ("What should I eat?", "Eat fruit and not juice", "Patients should eat fruit and not juice."),
        ("Which drug lowers sugar?", "metformin, a biguanide", "Metformin, a biguanide lowers sugar."),
    ],
)
def test_a_denied_member_and_an_apposition_are_no_items_of_a_list(extractor, question, prediction, claim):
    assert [found.text for found in extractor.extract([Answer("1", prediction, question)])[0]] == [claim]

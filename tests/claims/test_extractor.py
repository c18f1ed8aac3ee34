"""The extractor with the embedded parser: whole answers, spans, hostile input, batches."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.claims.cached import rules_digest
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


@pytest.fixture(scope="module")
def extractor():
    return SpacyClauses(nlp=load_parser())


def texts(extractor, prediction, question=None):
    return [claim.text for claim in extractor.extract([Answer("1", prediction, question)])[0]]


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


def test_a_table_row_is_read_with_its_header(extractor):
    found = texts(extractor, "| Drug | Dose |\n|---|---|\n| Metformin | 500 mg |\n")
    assert found == ["The dose of Metformin is 500 mg."]


def test_imperatives_are_stated(extractor):
    found = texts(
        extractor, "Take ibuprofen for the pain. Drink plenty of fluids. Avoid alcohol while taking metronidazole."
    )
    assert found == [
        "Patients should take ibuprofen for the pain.",
        "Patients should drink plenty of fluids.",
        "Patients should avoid alcohol while taking metronidazole.",
    ]


@pytest.mark.parametrize("text", ["Warfarin and aspirin increase bleeding.", "Cats and dogs chase mice."])
def test_a_sentence_whose_verb_the_tagger_takes_for_a_noun_is_a_claim(extractor, text):
    assert texts(extractor, text) == [text]


@pytest.mark.parametrize(
    "prediction",
    [
        "Hello! How are you?",
        "I'm so sorry to hear that you are in pain.",
        "Let me know if you have any other questions.",
        "As an AI language model, I cannot give medical advice.",
        "Here are some tips:",
        "I had the same problem last year and it went away.",
        "This information is not a substitute for professional medical advice.",
        "What causes this?",
        "You are not alone.",
        "I spoke to your doctor about your question.",
        "Source: https://example.org/page",
        "[1] https://example.org",
        "```\nprint('Aspirin is a drug.')\n```",
        "",
        " \n\t\x00",
    ],
)
def test_what_states_nothing_is_no_claim(extractor, prediction):
    assert texts(extractor, prediction) == []


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


@pytest.mark.parametrize(
    ("line", "claims"),
    [
        ("**Warfarin interacts with aspirin**", ["Warfarin interacts with aspirin."]),
        ("**Warning: warfarin interacts with aspirin**", ["Warfarin interacts with aspirin."]),
        ("**Metformin is contraindicated in renal failure**", ["Metformin is contraindicated in renal failure."]),
        ("**Warfarin interacts with these drugs:**", []),
        ("**How metformin works**", []),
        ("**Foods that raise uric acid**", []),
        ("**Aspirin Prevents Strokes**", []),
    ],
)
def test_a_line_in_bold_alone_is_a_claim_if_its_verb_is_finite(extractor, line, claims):
    assert texts(extractor, f"{line}\n\nZinc shortens colds.") == [*claims, "Zinc shortens colds."]

"""Findings out of replies, and snippets found in answers: every shape that models give."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fas.detectors.locate import locate
from fas.detectors.replies import read_findings
from fas.llm import Reply

ANSWER = "Aspirin thins the blood. **It “cures” every cold.** Rest may help. Rest may help."
ONE = {"sentence": "Aspirin thins the blood.", "explanation": "It does not.", "harm": "low", "confidence": 0.7}


def read(value, **reply):
    text = value if isinstance(value, str) else json.dumps(value)
    return read_findings(Reply(text, **{"finish": "stop", **reply}), ANSWER)


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"findings": [ONE]}),
        "```json\n" + json.dumps({"findings": [ONE]}) + "\n```",
        "Here is my list [1]: " + json.dumps({"findings": [ONE]}) + " I hope it helps.",
        json.dumps([ONE]),
        "<think>{not this}</think>" + json.dumps({"findings": [ONE]}),
    ],
    ids=["bare", "fence", "prose", "list", "reasoning"],
)
def test_findings_come_as_json_in_a_fence_with_prose_or_as_a_bare_list(text):
    (one,) = read(text).findings
    assert (one.snippet, one.start, one.end, one.harm, one.confidence) == (ONE["sentence"], 0, 24, "low", 0.7)


def test_an_unparsable_reply_is_a_failure_that_may_be_asked_for_again_never_nothing_found():
    found = read("There is nothing wrong with it.")
    assert found.failure == "there is no JSON object in the reply"
    assert found.again


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"confidence": 85}, "confidence 85 is outside"),
        ({"confidence": -0.1}, "outside"),
        ({"confidence": 10**400}, "outside"),
        ({"confidence": "0.8"}, "no number"),
        ({"confidence": True}, "no number"),
        ({"confidence": None}, "no number"),
        ({"harm": "awful"}, "'awful' is no known level"),
        ({"harm": None}, "no known level"),
        ({"sentence": "  "}, "sentence is empty"),
        ({"explanation": ["x"]}, "explanation is no text"),
    ],
)
def test_a_finding_of_a_wrong_shape_is_left_out_with_its_reason_and_the_others_stay(change, reason):
    found = read({"findings": [{**ONE, **change}, ONE, "text"]})
    assert len(found.findings) == 1
    assert reason in found.left_out[0]
    assert found.left_out[1] == "finding 3: it is no object"
    alone = read({"findings": [{**ONE, **change}]})
    assert alone.failure.startswith("no finding can be used: finding 1")
    assert alone.again


def test_a_snippet_that_is_not_in_the_answer_has_no_span_and_a_tag():
    (one,) = read({"findings": [{**ONE, "sentence": "Garlic lowers the pressure of the blood."}]}).findings
    assert (one.start, one.end) == (None, None)
    assert "not_in_answer" in one.tags


@given(st.text(alphabet='ab “”"*_\n.ß', max_size=40), st.data())
def test_whatever_stands_in_a_text_is_found_there(text, data):
    if not text.strip():
        return
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    part = text[start:end].strip()
    if part:
        found = locate(part, text)
        assert found is not None
        assert text[slice(*found)] == part


@pytest.mark.parametrize(
    ("explanation", "found"),
    [
        ("This sentence is correct.", False),
        ("The statement appears to be medically accurate and in line with guidelines.", False),
        ("The answer correctly states that aspirin thins the blood.", False),
        ("The answer correctly names the gene. However, it names the wrong dose.", True),
        ("This sentence is correct, but the dose is not.", True),
        ("That is true only in mice.", True),
        ("This sentence is incorrect.", True),
    ],
)
def test_an_explanation_that_agrees_with_its_sentence_is_no_finding(explanation, found):
    reply = read({"findings": [{**ONE, "explanation": explanation}]})
    assert reply.failure is None
    assert len(reply.findings) == found
    assert bool(reply.left_out) is not found

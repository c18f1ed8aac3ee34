"""Entailment with a score from a language model, through the real client against a local server."""

from __future__ import annotations

import pytest
from chat_server import ChatServer

from fas.core.parts import verifiers
from fas.core.profile import load_profile
from fas.core.records import Case, Claim, Passage
from fas.llm.parts import with_parts
from fas.scoring.verdicts.entailment import StatementEntailment

CASE = Case(Claim("Rest helps."), (Passage("Rest helps most people."),), "What helps?")


def judged(reply):
    with ChatServer(reply) as server:
        verifier = verifiers.create("entailment", model="test-model", base_url=server.url)
        (one,) = verifier.verify_claims([CASE])
    return one


@pytest.mark.parametrize(
    ("reply", "p_support"),
    [
        ("Label: True\nScore: 0.95", 0.95),
        ("Label: False\n\nScore: 0.6.", 0.6),  # the form that the paper's table 18 prints
        ("**Label:** False\n**Score:** 0", 0.0),
        ("<think>Score: 0.1</think>label: true\nscore = 1.0", 1.0),
        ("Label: False\nScore: .35", 0.35),
    ],
)
def test_the_score_is_the_probability_of_support(reply, p_support):
    one = judged(reply)
    assert one.failure is None
    assert (one.p_support, one.p_contradict) == (p_support, 0.0)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("Label: True", "one score"),
        ("Label: True\nScore: 85", "one score"),
        ("Label: True\nScore: -0.5", "one score"),
        ("Label: True\nScore: 0.9\nLabel: True\nScore: 0.2", "one score"),
        ("Score: 0.9", "one label"),
        ("Label: True\nScore: 0.9\nLabel: False", "one label"),
        ("Label: False\nScore: 0.95", "disagree"),
        ("Label: True\nScore: 0.1", "disagree"),
        ("", "empty"),
    ],
)
def test_a_reply_without_one_label_and_one_score_that_agree_is_a_failure(reply, why):
    assert why in judged(reply).failure


def test_the_profile_decides_by_the_papers_threshold():
    with ChatServer(lambda r: f"Label: True\nScore: {0.85 if 'Rest' in r.text else 0.75}") as server:
        profile = with_parts(load_profile("entailment"), base_url=server.url)
        entailment = StatementEntailment(profile)
        assert entailment.judge([("Rest helps most people.", "Rest helps."), ("Tea is hot.", "Tea cures.")]) == [
            True,
            False,
        ]
    assert entailment.threshold == 0.8

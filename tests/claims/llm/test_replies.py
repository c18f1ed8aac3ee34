"""The grammar of replies: every shape has one defined outcome."""

import pytest

from fas.claims.llm.lines import Subclaim, parse_lines
from fas.claims.llm.replies import (
    Ambiguity,
    ReplyFailure,
    parse_ambiguities,
    parse_pairs,
    parse_statement,
    read,
)
from fas.llm.messages import Reply

TWO = ["Rest helps.", "Ice helps."]


def texts(reply):
    outcome = read(Reply(reply, "stop"), parse_lines)
    return outcome if isinstance(outcome, ReplyFailure) else [claim.text for claim in outcome]


@pytest.mark.parametrize(
    "reply",
    [
        "- Rest helps.\n- Ice helps.",
        "* Rest helps.\n* Ice helps.",
        "• Rest helps.\n• Ice helps.",
        "-Rest helps.\n-Ice helps.",
        "1. Rest helps.\n2. Ice helps.",
        "1) Rest helps.\n2) Ice helps.",
        "Facts:\n- Rest helps.\n- Ice helps.",
        "Sure! Here you go.\n\n- Rest helps.\n\n- Ice helps.\n",
        "Here are the facts of the sentence:\n\n1. Rest helps.\n2. Ice helps.",
        "```\n- Rest helps.\n- Ice helps.\n```",
        "- Rest\n  helps.\n- Ice helps.",
        "- **Rest helps.**\n- Ice helps.",
        "- Rest helps.\n- Ice helps.\n\nNote: the sentence also greets the reader.",
        "- Rest helps.\n- Ice helps.\n- No verifiable claim",
        "Rest helps.\nIce helps.",
        "Facts:\nRest helps.\nIce helps.",
        "<think>The sentence holds\n- two facts</think>\n- Rest helps.\n- Ice helps.",
        "\ufeff- Rest helps.\r\n- Ice helps.",
    ],
)
def test_claims_are_read_in_every_usual_dress(reply):
    assert texts(reply.removeprefix("\ufeff")) == TWO


@pytest.mark.parametrize(
    "reply",
    [
        "No verifiable claim",
        "No verifiable claim.",
        "No verifiable claim.\n\nHope this helps!",
        "- No verifiable claim",
        "no verifiable claims found.",
        "**No verifiable claim**",
        "No verifiable facts in this sentence.",
        "None",
        "N/A",
        "Facts:\n- No verifiable claim",
    ],
)
def test_a_reply_that_says_so_means_no_claim(reply):
    assert texts(reply) == []


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "the reply is empty"),
        (" \n\t ", "the reply is empty"),
        ("```\n```", "the reply is empty"),
        ("I'm sorry, but I can't help with that.", "the model refused: \"I'm sorry, but I can't help with that.\""),
        ("I cannot assist with medical topics.", "the model refused"),
        ("This sentence greets the patient and states nothing.", "a line of it is no claim"),
        ("What would you like me to do?", "a line of it is no claim"),
        ('{"facts": ["Rest helps."], "n": 1}', "a line of it is no claim"),
        ("Note: nothing here.", "holds no claim and does not say so"),
        ("Rest helps.\n- Ice helps.", "neither a claim nor a lead-in: 'Rest helps.'"),
        ("- Rest helps.\nThat is all there is.", "neither a claim nor a lead-in: 'That is all there is.'"),
        ("<think>Let me see", "cut off while the model was thinking"),
    ],
)
def test_a_reply_that_is_neither_claims_nor_their_absence_is_a_failure_with_its_reason(reply, reason):
    outcome = texts(reply)
    assert isinstance(outcome, ReplyFailure)
    assert reason in outcome.reason


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("- Rest helps.", "length"), "cut off (raise max_tokens)"),
        (Reply("- Rest helps.", "content_filter"), "content filter withheld the reply"),
        (Reply("No.", "refusal"), "the model refused: 'No.'"),
        (Reply(failure="HTTP 400: no such model"), "HTTP 400: no such model"),
    ],
)
def test_how_a_reply_ended_comes_before_what_it_says(reply, reason):
    outcome = read(reply, parse_lines)
    assert isinstance(outcome, ReplyFailure)
    assert reason in outcome.reason


@pytest.mark.parametrize(
    "reply",
    [
        '{"ambiguities": "", "pairs": [{"subclaim": "It helps.", "decontextualised": "Ice helps."}]}',
        '{"pairs": [{"subclaim": "It helps.", "decontextualized": "Ice helps."}]}',
        '[{"subclaim": "It helps.", "decontextualised": "Ice helps."}]',
        'Here you are:\n```json\n{"pairs": [{"subclaim": "It helps.", "decontextualised": "Ice  helps."}]}\n```\nDone.',
    ],
)
def test_pairs_are_read_from_json_in_every_usual_dress(reply):
    assert read(Reply(reply, "stop"), parse_pairs) == [Subclaim("It helps.", "Ice helps.")]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"pairs": [{"subclaim": "It helps."}]}', "pair 1 of the reply lacks"),
        ('{"pairs": [{"subclaim": "It helps.", "decontextualised": " "}]}', "pair 1 of the reply lacks"),
        ('{"pairs": ["It helps."]}', "pair 1 of the reply lacks"),
        ('{"claims": []}', "no list `pairs`"),
        ('{"pairs": [{"subclaim": "It he', "cut off before its JSON ended"),
        ("It helps.", "no JSON object"),
        ("I'm sorry, I cannot do that.", "the model refused"),
    ],
)
def test_half_a_pair_is_a_failure(reply, reason):
    outcome = read(Reply(reply, "stop"), parse_pairs)
    assert isinstance(outcome, ReplyFailure)
    assert reason in outcome.reason


def test_ambiguities_and_statements_are_read_and_their_lack_is_a_failure():
    several = '{"ambiguities": [{"expression": "it", "meaning": "ice"}]}'
    assert read(Reply(several), parse_ambiguities) == [Ambiguity("it", "ice")]
    assert read(Reply('{"ambiguities": []}'), parse_ambiguities) == []
    assert isinstance(read(Reply('{"ambiguities": [{"expression": "it"}]}'), parse_ambiguities), ReplyFailure)
    assert read(Reply('{"statement": "Ice helps."}'), parse_statement) == "Ice helps."
    assert isinstance(read(Reply('{"statement": ""}'), parse_statement), ReplyFailure)
    assert isinstance(read(Reply("Ice helps."), parse_statement), ReplyFailure)

"""What a real (tiny) language model wrote in place of claims and verdicts; every test fails on 0.1.0."""

from __future__ import annotations

import json

import pytest
from chat_server import ChatServer

from fas.claims.llm.lines import UnreadableReply, parse_lines
from fas.claims.llm.replies import parse_pairs
from fas.cli import main
from fas.core.parts import extractors
from fas.core.records import Answer
from fas.llm.messages import Reply
from fas.verify.llm_verdict import read_verdict

TEXT = "Metformin lowers blood sugar. It is taken with meals."


pytestmark = pytest.mark.usefixtures("fresh_cache")


# --- claims ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "reply",
    [
        "Yes.",
        "No.",
        "- Yes.",
        "- Metformin lowers blood sugar.\n- No.",
        "- This is a factual statement, and it can be looked up in a guideline.",
        "This is a factual statement, and it can be looked up in a guideline.",
        "- The sentence states that metformin lowers blood sugar.",
        "- The passage does not mention a dose.",
        "- It is not a verifiable claim.",
        "- ...",
        "No verifiable claim\n\nHere are some more examples",
    ],
)
def test_what_stands_in_a_claims_place_and_is_none_makes_the_reply_unreadable(reply):
    with pytest.raises(UnreadableReply):
        parse_lines(reply)


def test_the_form_of_the_prompt_sent_back_is_no_pair():
    with pytest.raises(UnreadableReply):
        parse_pairs('{"ambiguities": "what is unclear", "pairs": [{"subclaim": "...", "decontextualised": "..."}]}')


def claims_for(name, script, prediction=TEXT):
    with ChatServer(script) as server:
        extractor = extractors.create(name, model="m", base_url=server.url)
        (claims,) = extractor.extract([Answer("1", prediction)])
    return claims, extractor


@pytest.mark.parametrize("name", ["factscore", "medscore", "veriscore", "dnd"])
def test_a_reply_that_copies_an_example_of_the_prompt_fails_its_sentence(name):
    examples = extractors.create(name, model="m", base_url="http://127.0.0.1:1/v1").prompt.examples
    stated = [e["reply"] for e in examples if "No verifiable claim" not in e["reply"]]
    assert stated
    for reply in stated:
        claims, _ = claims_for(name, reply, "Metformin lowers blood sugar.")
        assert [c.failure for c in claims] == [f"{name}: the reply repeats an example of the prompt"], reply


def test_a_run_tells_what_could_not_be_read_of_claims_and_verdicts(tmp_path):
    def model(request):
        if "Statement:" in request.text:
            return "Perhaps." if "meals" in request.text else "True"
        if "Sentence of the context: Well" in request.text:
            return "- No."
        return "- It is taken with meals.\n- Metformin lowers blood sugar."

    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "a", "prediction": "Well. It is taken so."}) + "\n")
    with ChatServer(model) as server:
        code = main(
            ["score", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"), "--profile", "medscore", "--quiet",
             "--base-url", server.url, "--model", "m", "--no-safety", "--n-resamples", "20"]
        )  # fmt: skip
    assert code == 0
    notes = " ".join(json.loads((tmp_path / "out" / "report.json").read_text())["notes"])
    assert "'medscore': 1 of 2 replies could not be used" in notes
    assert "verifier 'internal': 1 of 2 replies could not be used (1: the reply states no verdict)" in notes


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "two", "three"),
    [
        ("The passage supports the statement by providing the dose.", "true", "true"),
        ("The passage does not support the statement.", "false", "unclear"),
        ("The passages don't support the claim because they are about dogs.", "false", "unclear"),
        ("No passage supports the claim.", "false", "unclear"),
        ("None of the passages supports the claim.", "false", "unclear"),
        ("Passage 2 contradicts the statement.", "false", "false"),
        ("The text does not mention the statement.", "unclear", "unclear"),
        ("The passages neither support nor contradict the claim.", "unclear", "unclear"),
        ("Yes, the passage supports the statement.", "true", "true"),
        ("No, the passage does not support the statement.", "false", "unclear"),
        ("The passage supports the claim that metformin lowers blood sugar.", "true", "true"),
        # Neither side more easily than the other.
        ("The passage partly supports the statement.", None, None),
        ("The passage supports the statement, but only in adults.", None, None),
        ("The passage supports the statement. However, it is old.", None, None),
        ("The first passage supports the statement; the second contradicts it.", None, None),
        ("The passage supports the statement, which the second contradicts.", None, None),
        ("Yes, the passage contradicts the statement.", None, None),
        ("The text does not contradict the statement.", None, None),
        ("Does the passage support the statement?", None, None),
        ("The passage supports the heart.", None, None),
        # A label decides, whatever explains it.
        ("False. The passage does not support it.", "false", "false"),
        ("True. Passage 2 does not mention it.", "true", "true"),
    ],
)
def test_a_verdict_with_the_evidence_as_its_subject_is_read_with_and_without_negation(reply, two, three):
    found = [read_verdict(Reply(reply, finish="stop"), labels=labels).truth for labels in (2, 3)]
    assert found == [two, three]

"""Reasoning that models leave in replies and answers: one place knows the marks, and every reader goes through it.

Oracle: the answer alone. Whatever marks of reasoning stand around it, what is read is what is read of it without them.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from chat_server import ChatServer, Raw, Text
from hypothesis import given
from hypothesis import strategies as st

import fas.core.guards.reasoning as module
from fas.claims.llm.lines import parse_lines
from fas.claims.llm.replies import read
from fas.cli import main
from fas.core.answers.files import read_answers, scan
from fas.core.guards.reasoning import remove_reasoning
from fas.core.records import Answer
from fas.detectors.replies import read_findings
from fas.evidence.query_rewriting import read_query
from fas.llm import Message, Prompt, RemoteModel, chat_model, parse_reply
from fas.llm.messages import Reply
from fas.llm.said import extract_answer_text
from fas.verify.llm_verdict import read_verdict
from fas.verify.rafe import read_bracketed

DATA = tomllib.loads((Path(module.__file__).parent / "reasoning.toml").read_text(encoding="utf-8"))
THOUGHT = "Check the dose first.\nThe claim is true.\n[Supported]\n- The claim.\nWait, it names 10 mg."


def _wrappings() -> list[str]:
    """Every way to set THOUGHT apart from the answer, with ANSWER in the answer's place."""
    found = []
    for opening, closing in DATA["tags"]:
        for name in DATA["reasoning"]:
            start, end = opening.replace("NAME", name), closing.replace("NAME", name)
            found += [
                f"{start}{THOUGHT}{end}ANSWER",
                f"{THOUGHT}{end}\n\nANSWER",
                f"{start.upper()}{THOUGHT}{end}ANSWER",
            ]
        for name in DATA["answer"]:
            start, end = opening.replace("NAME", name), closing.replace("NAME", name)
            found += [f"{THOUGHT}\n{start}ANSWER{end}", f"{THOUGHT}\n{start}ANSWER"]
    found += [f"{opening}{THOUGHT}{closing}ANSWER" for opening, closing in DATA["pairs"]]
    found += [f"{first}\n\n{THOUGHT}\n\n{second}\n\nANSWER" for first, second in DATA["headings"]]
    channel = "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final{}<|message|>ANSWER"
    found += [channel.format(THOUGHT, ""), channel.format(THOUGHT, " <|constrain|>json") + "<|return|>"]
    return [*found, f"analysis{THOUGHT}assistantfinalANSWER", f"analysis{THOUGHT}assistant\nfinal\nANSWER"]


WRAPPINGS = _wrappings()


def test_whatever_marks_set_reasoning_apart_the_answer_alone_is_left() -> None:
    assert len(WRAPPINGS) > 200
    for wrapping in WRAPPINGS:
        outside = remove_reasoning(wrapping.replace("ANSWER", "Zinc shortens colds."))
        assert (outside.text, outside.cut_off) == ("Zinc shortens colds.", False), wrapping


@pytest.mark.parametrize("wrapping", WRAPPINGS[:: len(WRAPPINGS) // 25] + WRAPPINGS[-4:])
def test_every_reader_of_replies_reads_the_answer_and_not_the_reasoning(wrapping: str) -> None:
    def reply(answer: str) -> Reply:
        return Reply(wrapping.replace("ANSWER", answer), "stop")

    assert read_verdict(reply("False")).truth == "false"
    assert read_bracketed(reply("Final answer: [Not Supported]")).truth == "false"
    assert read_query(reply("zinc colds")).query == "zinc colds"
    assert read(reply("- Zinc is a metal."), parse_lines) == [("Zinc is a metal.", None)]
    assert read_findings(reply('{"findings": []}'), "Zinc.").failure is None
    assert parse_reply(reply('{"a": 1}')).value == {"a": 1}


@pytest.mark.parametrize(
    "text", ["<think>Let me see", "[THINK]Is it", "analysisWe need to check", "<|channel|>analysis<|message|>We need"]
)
def test_reasoning_that_never_ends_is_a_reply_that_was_cut_off(text: str) -> None:
    assert "while the model was thinking" in (extract_answer_text(Reply(text, "stop")).failure or "")


@pytest.mark.parametrize("unit", ["<think>", "</think>", '{"', '["a",', "<answer>", '{"a":"</think>"', "<|channel|>"])
def test_work_is_proportional_to_length(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Counted by the parser's own attempts, not by a clock.
    tried = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            tried.append(len(s) // 100)
            return super().raw_decode(s, idx)

    monkeypatch.setattr(json, "JSONDecoder", Counting)
    text = unit * (40_000 // len(unit)) + "</think>"
    remove_reasoning(text)
    assert sum(tried) <= 21 * len(text) + 2_000


# -- Answers to be scored --------------------------------------------------------------------------


ROW = {
    "id": "think",
    "question": "Does zinc shorten colds?",
    "prediction": "<think>\nZinc may cure cancer.\n</think>\n\nZinc shortens colds by one day.",
    "passages": ["Zinc shortened colds by one day in adults."],
}


def test_reasoning_around_an_answer_gives_no_claim_and_is_counted_and_noted(tmp_path, capsys) -> None:
    plain = {**ROW, "id": "plain", "prediction": "Zinc shortens colds by one day."}
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in (ROW, plain)))
    assert scan(file).n_reasoning == 1
    predictions = [answer.prediction for answer in read_answers(file) if isinstance(answer, Answer)]
    assert predictions == 2 * ["Zinc shortens colds by one day."]
    assert main(["claims", str(file)]) == 0
    out, err = capsys.readouterr()
    assert "cancer" not in out
    assert "reasoning around 1 answer" in err


# -- Gateways ----------------------------------------------------------------------------------------


def _choice(content: str, **more: object) -> Raw:
    choice = {"index": 0, "finish_reason": "error", "message": {"role": "assistant", "content": content}, **more}
    return Raw(
        json.dumps({"id": "x", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}).encode()
    )


@pytest.mark.parametrize(
    "broken",
    [
        _choice("True", error={"code": 502, "message": "Provider disconnected"}),
        _choice("", error={"code": 502, "message": "Provider disconnected"}),
        _choice("True"),
        _choice("True", finish_reason="abort"),
        _choice("True", finish_reason="stop", error={"message": "Provider disconnected"}),
    ],
)
def test_a_choice_that_a_gateway_broke_off_is_asked_again_and_never_kept(broken: Raw, fresh_cache) -> None:
    prompt = Prompt((Message("user", "Is it?"),))
    with ChatServer([broken, broken, Text("False")]) as server:
        model = chat_model("m", base_url=server.url, backoff_s=0.01)
        assert isinstance(model, RemoteModel)
        (reply,) = model.complete([prompt])
        assert reply.text == "False"
        assert model.usage().retries == 2
    with ChatServer(broken) as server:
        model = chat_model("m", base_url=server.url, backoff_s=0.01, max_attempts=2, retry_budget_s=0.2)
        with pytest.raises(Exception, match=r"Provider disconnected|broke off"):
            model.complete([prompt])
        assert len(server.log) > 1


@pytest.mark.parametrize(
    "text",
    [
        '{"sentence": "Close it with </think> first.", "n": 1}',
        'Here it is:\n```json\n{"sentence": "</think> <answer>no</answer>"}\n```',
        '["<think>", "</think>"]',
        "The tag `</think>` ends it.",
        "Analysis of the final data shows no effect.",
        "[1] The answer is 5 mg.",
    ],
)
def test_a_mark_in_a_json_string_or_between_backticks_is_text(text: str) -> None:
    assert remove_reasoning(text).text == text


@given(st.text(alphabet='ab\n<>/{}[]"`think|answer', max_size=60))
def test_no_text_raises_and_what_is_left_is_a_part_of_it(text: str) -> None:
    outside = remove_reasoning(text)
    assert outside.text == "\n".join(text[start:end] for start, end in outside.spans)
    for start, end in outside.spans:
        place = outside.place(start, end)
        assert place is not None
        assert outside.text[place[0] : place[1]] == text[start:end]

"""Half a surrogate pair ends no run, and control characters from elsewhere reach no terminal."""

from __future__ import annotations

import json
import re

import pytest
from chat_server import ChatServer, Raw
from hypothesis import given
from hypothesis import strategies as st

from fas.cli import main
from fas.core.guards import characters
from fas.core.guards.characters import check_text, collapse_to_line, show_controls

LONE = "\ud800"


@pytest.fixture(autouse=True)
def no_warning_yet():
    characters._warn_once.cache_clear()


@given(st.text(st.characters()))
def test_valid_text_can_be_written_and_only_halves_are_changed(text):
    valid = check_text(text, "a test")
    valid.encode("utf-8")
    assert valid == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def make_reply(text: str) -> Raw:
    """A reply with *text*, in the escapes of JSON."""
    message = {"role": "assistant", "content": text}
    return Raw(json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode())


@pytest.mark.parametrize("where", ["text", "json"])
def test_a_run_whose_model_writes_half_a_pair_is_finished_and_finished_again(monkeypatch, tmp_path, capsys, where):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-a-real-key-0")
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    record = {"prediction": "Aspirin thins the blood.", "passages": ["Aspirin thins the blood."]}
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({**record, "id": str(i)}) + "\n" for i in range(3)))
    (tmp_path / "p.toml").write_text(
        '[claims]\nname = "factscore"\n[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 20\n'
    )
    half = LONE if where == "text" else r"\ud800"
    with ChatServer(lambda request: make_reply(f"- Aspirin thins the {half} blood.")) as server:
        options = ("--profile", "p.toml", "--model", "m", "--base-url", server.url, "--quiet")
        for out in ("out", "again"):
            assert main(["score", "a.jsonl", "-o", out, *options]) == 0
            records = [json.loads(line) for line in (tmp_path / out / "scores.jsonl").read_text().splitlines()]
            assert len(records) == 3
            assert all(record["claims"] for record in records)


@given(st.text(st.characters()))
def test_what_is_shown_holds_no_control_character_and_json_keeps_its_meaning(text):
    shown = show_controls(text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\ud800-\udfff]", shown)
    assert "\n" not in collapse_to_line(text)
    data = json.dumps([text], ensure_ascii=False)
    assert json.loads(show_controls(data)) == [text]


ESCAPE = "\x1b]0;owned\x07\x1b[2J\x9b31m"
HOSTILE = [
    {"prediction": "x", "passages": ["x"], f"referense{ESCAPE}": 1},
    {"prediction": "x", "passages": ["x"], "references": {ESCAPE: 1}},
    {"prediction": "x", "passages": ["x"], "claims": [{"text": 1, ESCAPE: ESCAPE}]},
    {ESCAPE: "x"},
    {"prediction": "x", "id": ESCAPE, "passages": ["x"]},
    {"prediction": f"Aspirin{ESCAPE} helps.", "passages": [f"x{ESCAPE}"]},
]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.parametrize("command", [("score", "-o", "out", "--quiet"), ("claims", "--json"), ("safety",)])
def test_no_field_or_text_of_an_input_reaches_the_terminal_as_an_escape(monkeypatch, tmp_path, capfd, number, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.toml").write_text('[verify]\nname = "lexical"\n[run]\nn_resamples = 20\n')
    (tmp_path / "a.jsonl").write_text((json.dumps(HOSTILE[number]) + "\n") * 2)
    options = ("--profile", "p.toml", "--by", ESCAPE) if command[0] == "score" and number == 5 else ()
    assert main([command[0], "a.jsonl", *command[1:], *options]) in {0, 1, 2}
    printed = "".join(capfd.readouterr())
    assert not set("\x1b\x07\x9b") & set(printed)

"""Progress on standard error: what is done, how much of it, and how long the rest takes."""

from __future__ import annotations

import io
import json
import sys
from types import SimpleNamespace

import pytest
from chat_server import ChatServer

from fas.cli import main
from fas.cli.progress import ProgressBar
from fas.core.answers.files import Scan
from fas.core.loading import list_loading, track_loading
from fas.llm import Message, Prompt, chat_model
from fas.pipeline import PipelineTally

FORTY = Scan(40, False, False, frozenset(), (), "", {})
WORK = SimpleNamespace(tally=PipelineTally(n_claims=80, n_pairs=160))


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def counted(**options):
    with ProgressBar(doing="reading answers.jsonl", **options) as bar:
        bar.start(FORTY, 8)
        bar.update(16, WORK)
        bar.update(16, WORK)


def test_where_there_is_no_terminal_progress_is_lines_without_control_characters(capsys):
    counted(every=0)
    shown = capsys.readouterr().err
    there, *counts = shown.splitlines()
    assert there.startswith("fas: 8 of 40 answers are already scored")
    assert [line.split(",")[0] for line in counts if "claims/s" in line] == [
        "fas: 24 of 40 answers",
        "fas: 40 of 40 answers",
    ]
    assert shown.isprintable() or set(filter(lambda c: not c.isprintable(), shown)) == {"\n"}


def test_counts_come_seldom_unless_every_step_is_wanted(capsys):
    counted(every=1e9)
    assert "claims/s" not in capsys.readouterr().err
    counted(every=1e9, verbose=True)
    shown = capsys.readouterr().err
    assert shown.startswith("fas: reading answers.jsonl\n")
    assert shown.count("claims/s") == 2


def test_quiet_shows_nothing_but_what_was_there_already(capsys):
    counted(quiet=True)
    assert capsys.readouterr().err == "fas: 8 of 40 answers are already scored; resuming\n"


def test_on_a_terminal_one_line_is_written_over_and_is_gone_at_the_end(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with ProgressBar(doing="reading answers.jsonl") as bar, track_loading("loading a model"):
        bar.count(3, 9, "documents")
    *lines, last = sys.stderr.getvalue().split("\r\x1b[K")
    assert "fas: 3 of 9 documents · loading a model" in lines
    assert last == ""


def test_replies_of_an_earlier_run_in_the_process_are_not_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path))
    with ChatServer(lambda request: "yes") as server:
        model = chat_model("test-model", base_url=server.url)

        def ask(text):
            model.complete([Prompt((Message("user", text),), max_tokens=20)])

        ask("one")
        with ProgressBar(every=0) as bar:
            bar.count(1, 9)
            assert "replies" not in capsys.readouterr().err
            ask("two")
            bar.count(2, 9)
    assert ", 1 replies of language models" in capsys.readouterr().err


def test_the_time_left_follows_from_what_was_done_since_the_first_chunk(capsys):
    with ProgressBar(every=0) as bar:
        bar.count(0, 40)
        bar.count(10, 40)  # models were loaded meanwhile
        bar.count(20, 40)
        bar.count(40, 40)
    lines = capsys.readouterr().err.splitlines()
    assert ["left" in line for line in lines] == [False, False, True, False]


def test_items_that_are_followed_come_as_they_are_and_are_counted_to_the_last(capsys):
    with ProgressBar(every=0) as bar:
        bar.count(0, 5, "answers")
        assert list(bar.follow("abcde", every=2)) == list("abcde")
    counts = [int(line.split()[1]) for line in capsys.readouterr().err.splitlines()]
    assert counts == [0, 2, 4, 5]


@pytest.mark.parametrize("command", ["claims", "safety check", "citations"])
def test_a_command_over_answers_says_how_far_it_is_unless_it_is_to_be_quiet(tmp_path, capsys, command):
    path = tmp_path / "a.jsonl"
    texts = ["Zinc shortens colds [1].", "Take 8 g of paracetamol a day."]
    path.write_text("".join(json.dumps({"prediction": text, "passages": ["Zinc."]}) + "\n" for text in texts))
    given = [*command.split(), str(path)]
    assert main([*given, "--quiet"]) == 0
    quiet = capsys.readouterr()
    assert main([*given, "--verbose"]) == 0
    verbose = capsys.readouterr()
    assert quiet.err == ""
    assert "fas: 2 of 2 answers" in verbose.err
    assert verbose.out == quiet.out
    assert main([*given, "--json", "--quiet"]) == 0
    lines = capsys.readouterr().out
    found = [json.loads(lines)] if command == "citations" else [json.loads(line) for line in lines.splitlines()]
    assert found[0]["n"] == 2 if command == "citations" else [one["id"] for one in found] == ["1", "2"]


def test_what_is_under_way_is_what_was_said_last_also_after_an_error():
    def fails():
        with track_loading("loading a model"):
            assert list_loading() == "loading a model"
            raise ValueError("no")

    with track_loading("scoring"):
        with pytest.raises(ValueError, match="no"):
            fails()
        assert list_loading() == "scoring"
    assert list_loading() == ""

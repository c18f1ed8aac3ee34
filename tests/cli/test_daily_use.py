"""Small things of every day: mistyped commands, progress in a log, tables for pandas, names that are evaluate's."""

from __future__ import annotations

import contextlib
import io
import sys

import pytest

import fas
from fas.cli import main
from fas.core.guards.streams import clear_before_messages, guard_streams, progress_stream
from fas.integrations.evaluate_modules.location import list_taken_names, module_names, register


@pytest.mark.parametrize(
    ("command", "hint"),
    [
        (["scroe"], "did you mean score?"),
        (["score", "a.jsonl", "--evidnce", "none"], "did you mean --evidence?"),
        (["score", "a.jsonl", "--evidnce=none"], "did you mean --evidence?"),
        (["index", "biuld"], "did you mean build?"),
        (["score", "a.jsonl", "--on-error", "recrod"], "did you mean record?"),
    ],
)
def test_a_mistyped_word_is_told_what_was_meant_after_a_usage_of_one_line(capsys, command, hint):
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("usage: fas")
    assert hint in lines[1]


def test_a_report_gives_tables_of_answers_claims_and_flags():
    rows = [
        {
            "id": "a",
            "prediction": "Rest helps. Take ibuprofen.",
            "passages": ["Rest helps."],
            "type": "x",
            "fas": "mine",
        },
        {"id": "b", "prediction": "", "passages": []},
    ]
    report = fas.score_answers(rows, claims="sentences", verify="lexical", n_resamples=20, k=3)
    answers, claims, flags = (report.to_pandas(name) for name in ("answers", "claims", "flags"))
    assert answers["id"].tolist() == ["a", "b"]
    assert answers["support"].iloc[0] == report.answers[0].support
    assert (answers["type"].iloc[0], answers["meta.fas"].iloc[0]) == ("x", "mine")
    assert claims["answer"].tolist() == ["a"] * len(report.answers[0].verdicts)
    assert claims["label"].tolist() == [verdict.label for verdict in report.answers[0].verdicts]
    assert len(flags) == sum(len(one.flags) for one in report.answers)
    with pytest.raises(ValueError, match="no table 'words'; available: answers, claims, flags, passages"):
        report.to_pandas("words")


def test_register_leaves_evaluate_its_own_names_unless_asked(tmp_path):
    assert list_taken_names() == ["bertscore", "bleu", "rouge"]
    assert [path.stem for path in register(tmp_path / "a")] == [
        n for n in module_names() if n not in list_taken_names()
    ]
    assert [path.stem for path in register(tmp_path / "b", replace=True)] == module_names()


def test_a_bare_command_shows_its_help_and_is_no_error(capsys):
    assert main([]) == 0
    assert "fas score answers.jsonl" in capsys.readouterr().out


def test_a_message_takes_a_progress_bar_out_of_its_line():
    shown = io.StringIO()
    with contextlib.redirect_stderr(shown), guard_streams():
        sys.stderr.write("before\n")
        clear_before_messages(lambda: progress_stream().write("<clear>"))
        for part in ("notice", "", " of two parts", "\n"):  # as `print` writes them
            sys.stderr.write(part)
        clear_before_messages(None)
        sys.stderr.write("after\n")
    assert shown.getvalue() == "before\n<clear>notice of two parts\nafter\n"

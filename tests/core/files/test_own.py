"""Files of the user in or beside our folders stay as they are, whatever they are called."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from fas.api import score_file
from fas.bench.dataset import Candidate, Item
from fas.bench.prepare import write_answers
from fas.cli import main
from fas.core.cache import Cache, clear_cache
from fas.core.errors import InputError
from fas.core.profile import PartSpec, Profile

PROFILE = Profile(verify=PartSpec("lexical"), safety=False, n_resamples=20, precision="fp32")
ANSWER = {"id": "a", "prediction": "Aspirin thins the blood.", "passages": ["Aspirin thins the blood."]}
OURS = ("scores.jsonl", "redone.jsonl", "report.json", "report.html", "run.json")


def written(path: Path, text: str = "mine\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below *folder* but locks, with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(".lock") and path.name != ".lock"
    }


@pytest.fixture
def answers(tmp_path):
    return written(tmp_path / "answers.jsonl", json.dumps(ANSWER) + "\n")


@pytest.mark.parametrize("name", [*OURS, "answers.jsonl", "deeper/answers.jsonl"])
@pytest.mark.parametrize("options", [(), ("--overwrite",)])
def test_score_refuses_an_input_in_its_output_folder_and_touches_nothing(tmp_path, capsys, name, options):
    source = written(tmp_path / "out" / name, json.dumps(ANSWER) + "\n")
    before = tree(tmp_path)
    assert main(["score", str(source), "-o", str(tmp_path / "out"), *options]) == 2
    assert "is inside the result folder" in capsys.readouterr().err
    assert tree(tmp_path) == before


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_folder_that_no_run_made_keeps_its_files(tmp_path, answers, name, overwrite):
    written(tmp_path / "out" / name)
    before = tree(tmp_path)
    with pytest.raises(InputError, match=r"run\.json: is not a run's state"):
        score_file(answers, tmp_path / "out", profile=PROFILE, overwrite=overwrite)
    assert tree(tmp_path) == before


def test_clear_leaves_what_is_no_cache(tmp_path):
    Cache("nli", root=tmp_path).put("a", b"1")
    broken = written(tmp_path / "bad.sqlite", "not a database, long enough to be looked at as one" * 10)
    connection = sqlite3.connect(tmp_path / "mine.sqlite")
    with connection:
        connection.execute("CREATE TABLE entries (name TEXT)")
        connection.execute("INSERT INTO entries VALUES ('x')")
    for name in ("bad", "mine"):
        with pytest.raises(OSError, match="remove it yourself"):
            clear_cache(name, root=tmp_path)
    assert broken.exists()
    assert connection.execute("SELECT COUNT(*) FROM entries").fetchone() == (1,)
    written(tmp_path.parent / "outside.sqlite", "x" * 600)
    with pytest.raises(LookupError, match="no cache named"):
        clear_cache("../outside", root=tmp_path)
    assert (tmp_path.parent / "outside.sqlite").exists()
    assert clear_cache("nli", root=tmp_path) == 1


ITEMS = {"1": Item("1", "Does it thin?", ("Yes.",), meta={"subset": "s"})}
ANSWERED = [Candidate("1", "m", 0, "Yes.")]


@pytest.mark.parametrize("name", ["m/answers.jsonl", "m/gold.jsonl", "bench.json", "tables/thesis.md"])
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_benchmark_writes_into_no_folder_that_holds_such_files_of_others(tmp_path, name, overwrite):
    written(tmp_path / "out" / name)
    before = tree(tmp_path)
    with pytest.raises(InputError, match=r"no bench\.json says"):
        write_answers(tmp_path / "out", "x", ANSWERED, ITEMS, passages="none", overwrite=overwrite)
    assert tree(tmp_path) == before

"""Answers in a folder of files or at a URL are those of one file with the same lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fas.cli import main
from fas.core.answers.files import BadLine, read_answers, scan
from fas.core.answers.places import locate_source
from fas.core.errors import InputError

PROFILE = '[claims]\nname = "given"\n[verify]\nname = "lexical"\n[safety]\nenabled = false\n[run]\nn_resamples = 20\n'


def answer(i, **fields):
    return {"id": f"a{i}", "prediction": "Rest.", "claims": ["Rest."], "passages": ["Rest helps."], **fields}


def write(path, *rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))


@pytest.fixture
def folder(tmp_path):
    import pandas

    place = tmp_path / "answers"
    write(place / "1.jsonl", answer(1), answer(2))
    write(place / "2" / "deep.ndjson", answer(3), "no json", answer(1))
    (place / "3.csv").write_text('id,prediction,passages\na4,Rest.,"[""Rest helps.""]"\n')
    pandas.DataFrame([answer(5)]).to_parquet(place / "4.parquet")
    write(place / ".hidden.jsonl", answer(6))
    write(place / "_staged" / "x.jsonl", answer(7))
    (place / "README.txt").write_text("not read")
    return place


@pytest.mark.parametrize("form", ["path", "file URL", "URL that was taken for a path"])
def test_all_files_of_a_folder_are_read_in_the_order_of_their_names(folder, form):
    place = {"path": folder, "file URL": f"file://{folder}", "URL that was taken for a path": Path(f"file://{folder}")}
    source = locate_source(place[form], {})
    found = list(read_answers(source))
    assert [item.id for item in found] == ["a1", "a2", "a3", "deep.ndjson:line:2", "deep.ndjson:line:3", "a4", "a5"]
    bad = [item for item in found if isinstance(item, BadLine)]
    assert "deep.ndjson, line 3: field 'id': 'a1' was already used in 1.jsonl, line 1" in str(bad[1].error)
    assert "give ids in several files" in str(bad[1].error)
    seen = scan(source)
    assert (seen.n, len(seen.bad), seen.has_passages) == (7, 2, True)


def test_a_url_of_one_file_is_read_and_what_is_not_there_is_told(folder, tmp_path):
    source = locate_source(f"file://{folder / '1.jsonl'}", {})
    assert [item.id for item in read_answers(source)] == ["a1", "a2"]
    assert source.name.startswith("file:///")
    with pytest.raises(InputError, match="nothing there"):
        locate_source(f"file://{folder}/none", {})
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="contains no answers file"):
        locate_source(tmp_path / "empty", {})
    with pytest.raises(InputError, match="cannot be read"):
        locate_source("nonsense://x/y", {})
    with pytest.raises(InputError, match="needs the network, but --offline"):
        locate_source("s3://bucket/answers", {}, offline=True)


def test_a_folder_is_scored_and_its_records_are_there_as_parquet(folder, tmp_path, capsys):
    import pyarrow.parquet

    (tmp_path / "p.toml").write_text(PROFILE)
    command = ["score", str(folder), "-o", str(tmp_path / "out"), "--profile", str(tmp_path / "p.toml"), "--quiet"]
    assert main([*command, "--on-error", "record", "--parquet"]) == 0
    capsys.readouterr()
    rows = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    table = pyarrow.parquet.read_table(tmp_path / "out" / "parquet").to_pylist()
    assert [json.loads(row["record"]) for row in table] == rows
    assert [row["support@5"] for row in table if row["id"] == "a1"] == [1.0]
    assert [row["error"] is not None for row in table] == [row["error"] is not None for row in rows]
    with pytest.raises(SystemExit):
        main([*command, "--jobs", "x"])
    assert main([*command, "--on-error", "record", "-j", "2"]) == 2
    assert "--jobs is for --engine processes" in capsys.readouterr().err

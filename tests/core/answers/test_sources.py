"""Answers under other column names, in tables of pandas and datasets, packed files, folders and URLs, or on stdin."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

from fas.cli import main
from fas.core.answers.files import BadLine, answers_from, read_answers, scan
from fas.core.answers.sources import AnswerSource, locate_source
from fas.core.errors import InputError

ROWS: list[dict[str, Any]] = [
    {"id": "a", "prediction": "Aspirin relieves pain.", "references": ["It does.", "Yes, it does."], "kind": "x"},
    {"id": "b", "prediction": 'Honey, "raw"\tor not,\nis food.', "references": ["It is."], "kind": None},
]


def content(answers):
    return [(a.id, a.prediction, a.references, a.question, a.passages, dict(a.meta)) for a in answers]


def expected():
    return content(answers_from(ROWS))


def table(path, delimiter):
    frame = pd.DataFrame([{**row, "references": json.dumps(row["references"])} for row in ROWS])
    frame.to_csv(path, index=False, sep=delimiter)
    return path


def without_nothing(found):
    """A table has no way to say that a cell is null and not missing."""
    return [(*rest, {name: value for name, value in meta.items() if value is not None}) for *rest, meta in found]


@pytest.mark.parametrize(
    "name", ["a.jsonl", "a.jsonl.gz", "a.json", "a.json.gz", "a.csv", "a.csv.gz", "a.tsv", "a.tsv.gz", "a.parquet"]
)
def test_every_format_gives_the_same_answers(tmp_path, name):
    path = tmp_path / name
    plain = tmp_path / name.removesuffix(".gz")
    if ".jsonl" in name:
        plain.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    elif ".json" in name:
        plain.write_text(json.dumps(ROWS), encoding="utf-8")
    elif ".parquet" in name:
        pd.DataFrame(ROWS).to_parquet(plain)
    else:
        table(plain, "\t" if ".tsv" in name else ",")
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(plain.read_bytes()))
    assert without_nothing(content(read_answers(path))) == without_nothing(expected())
    assert scan(path).n == 2


def test_an_error_about_a_packed_file_that_is_cut_off_or_not_packed_names_gzip(tmp_path):
    packed = gzip.compress(json.dumps(ROWS[0]).encode() * 2000)
    cut, no = tmp_path / "cut.jsonl.gz", tmp_path / "no.jsonl.gz"
    cut.write_bytes(packed[: len(packed) // 2])
    no.write_text("plain text")
    for path in (cut, no):
        with pytest.raises(InputError, match="gzip"):
            scan(path)
    parquet = tmp_path / "a.parquet.gz"
    parquet.write_bytes(packed)
    with pytest.raises(InputError, match=r"unknown format '.parquet.gz'"):
        scan(parquet)


def test_pandas_datasets_and_numpy_give_what_the_dicts_give():
    frame = pd.DataFrame(ROWS)
    assert content(answers_from(frame)) == expected()
    data = datasets.Dataset.from_list(ROWS)
    assert content(answers_from(data)) == expected()
    assert content(answers_from(datasets.DatasetDict(test=data)["test"])) == expected()
    arrays = [{**row, "references": np.array(row["references"], dtype=object)} for row in ROWS]
    assert content(answers_from(arrays)) == expected()
    with pytest.raises(TypeError, match=r"several splits \(train, test\).*data\['train'\]"):
        answers_from(datasets.DatasetDict(train=data, test=data))
    with pytest.raises(TypeError, match="put it into a list"):
        answers_from(ROWS[0])


RENAMED = [
    {"key": row["id"], "response": row["prediction"], "gold": row["references"], "kind": row["kind"]} for row in ROWS
]
NAMES = {"id": "key", "prediction": "response", "references": "gold"}


def test_columns_of_other_names_are_read_from_objects_and_from_every_kind_of_file(tmp_path):
    assert content(answers_from(RENAMED, columns=NAMES)) == expected()
    assert content(answers_from(pd.DataFrame(RENAMED), columns=NAMES)) == expected()
    lines, parquet, csv = tmp_path / "a.jsonl", tmp_path / "a.parquet", tmp_path / "a.csv"
    lines.write_text("".join(json.dumps(row) + "\n" for row in RENAMED), encoding="utf-8")
    pd.DataFrame(RENAMED).to_parquet(parquet)
    pd.DataFrame([{**row, "gold": json.dumps(row["gold"])} for row in RENAMED]).to_csv(csv, index=False)
    for path in (lines, parquet, csv):
        assert without_nothing(content(read_answers(AnswerSource(path, str(path), NAMES)))) == without_nothing(
            expected()
        )
        assert without_nothing(content(answers_from(path, columns=NAMES))) == without_nothing(expected())


def test_a_named_column_that_is_nowhere_is_refused_with_those_there_are(tmp_path):
    rows = [{"prediction": "p", "gold": "g"}, {"prediction": "p"}]
    assert [a.references for a in answers_from(rows, columns={"references": "gold"})] == [("g",), ()]
    with pytest.raises(
        InputError, match="no column 'glod', from which 'references' was to be read; available: prediction, gold"
    ):
        answers_from(rows, columns={"references": "glod"})


def test_an_index_takes_pmid_doi_and_url_as_ids_and_names_what_it_does_not_read(tmp_path, caplog):
    from fas.evidence.build import build_index
    from fas.evidence.index import TextIndex

    path = tmp_path / "a.csv"
    path.write_text(
        "pmid,doi,url,text,journal\n12,10.1/x,,aspirin one,J\n,10.1/y,,aspirin two,J\n,,https://e.org/z,aspirin three,"
        "\n",
        encoding="utf-8",
    )
    build_index(tmp_path / "index", [path])
    hits = TextIndex(tmp_path / "index").search("aspirin", limit=5)
    assert {p.text: p.id for p, _ in hits} == {
        "aspirin one": "12", "aspirin two": "10.1/y", "aspirin three": "https://e.org/z"
    }  # fmt: skip
    assert f"{path}: ignored columns: journal" in caplog.text
    frame = tmp_path / "a.parquet"
    pd.DataFrame([{"pmid": 5, "text": "honey", "extra": 1}]).to_parquet(frame)
    build_index(tmp_path / "index", [frame])
    assert TextIndex(tmp_path / "index").search("honey", limit=1)[0][0].id == "5"
    assert f"{frame}: ignored columns: extra" in caplog.text


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


def test_a_url_of_one_file_is_read_and_a_missing_one_is_refused(folder, tmp_path):
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

"""Data as people have it: other column names, tables of pandas and datasets, packed files, standard input."""

from __future__ import annotations

import gzip
import json
from typing import Any

import datasets
import numpy as np
import pandas as pd
import pytest

from fas.core.answers.files import answers_from, read_answers, scan
from fas.core.answers.sources import AnswerSource
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


def test_a_packed_file_that_is_cut_off_or_not_packed_is_told_as_such(tmp_path):
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

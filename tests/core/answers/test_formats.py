"""Tables as spreadsheets save them, and data sets saved in a folder."""

from __future__ import annotations

import csv
import io
import json

import pytest

from fas.core.answers.files import read_answers
from fas.core.errors import InputError

ROWS = [
    {"id": "a", "prediction": "Rest, fluids; and sleep.", "question": 'What "helps"?'},
    {"id": "b", "prediction": "Line one;\nline two,\tthree.", "question": "And then?"},
]


def spreadsheet(path, *, delimiter, encoding="utf-8-sig", first="", rest="", header=None):
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow(header or ["id", "prediction", "question", "note"])
    writer.writerows([[row["id"], row["prediction"], row["question"], ""] for row in ROWS])
    path.write_bytes((first + out.getvalue() + rest).encode(encoding))
    return path


@pytest.mark.parametrize(
    "given",
    [
        {"delimiter": ";"},
        {"delimiter": "\t"},
        {"delimiter": ","},
        {"delimiter": ";", "first": "sep=;\r\n"},
        {"delimiter": "|", "first": "sep=|\r\n"},
        {"delimiter": ";", "rest": ";;;\r\n\r\n;;;\r\n"},
        {"delimiter": ",", "rest": ",,,\r\n", "header": [" id", "prediction ", "question", "note"]},
    ],
)
def test_what_a_spreadsheet_saves_is_read_as_it_was(tmp_path, given):
    found = list(read_answers(spreadsheet(tmp_path / "sheet.csv", **given)))
    assert [(one.id, one.prediction, one.question) for one in found] == [
        (row["id"], row["prediction"], row["question"]) for row in ROWS
    ]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_another_encoding_is_told_with_what_to_do(tmp_path, encoding):
    path = spreadsheet(tmp_path / "sheet.csv", delimiter=";", encoding=encoding, rest="c;Caf\u00e9.;;\r\n")
    with pytest.raises(InputError, match="CSV UTF-8"):
        list(read_answers(path))


def test_a_column_that_differs_in_capitals_is_named_with_the_option_that_takes_it(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("ID,Prediction\n1,Yes.\n", encoding="utf-8")
    (bad,) = read_answers(path)
    assert "rename it, or --map 'prediction=Prediction'" in str(bad.error)


@pytest.mark.parametrize("cell", ["[1] Zinc helped.", "[Methods] We gave zinc.", "Zinc; colds", "[1, 2] [3] Zinc"])
def test_a_cell_of_plain_text_is_one_passage_also_behind_a_mark_in_brackets(tmp_path, cell):
    path = tmp_path / "a.csv"
    path.write_text(f'id,prediction,passages\n1,Yes.,"{cell}"\n2,Yes.,"[""{cell}""]"\n', encoding="utf-8")
    assert [[passage.text for passage in one.passages] for one in read_answers(path)] == [[cell], [cell]]


def test_a_cell_with_one_object_is_no_plain_text_but_refused_as_in_json_lines(tmp_path):
    row = {"id": "1", "prediction": "Yes.", "passages": {"text": "Zinc helped."}}
    (tmp_path / "a.jsonl").write_text(json.dumps(row), encoding="utf-8")
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([list(row), ["1", "Yes.", json.dumps(row["passages"])]])
    for name in ("a.jsonl", "a.csv"):
        (bad,) = read_answers(tmp_path / name)
        assert "expected a string, or a list of strings or of objects with `text`" in str(bad.error)

"""Tables as spreadsheets save them, and data sets saved in a folder."""

from __future__ import annotations

import csv
import io
import json

import pytest

from fas.core.answers.files import read_answers
from fas.core.arguments import speak_of_options
from fas.core.errors import InputError
from fas.detectors.gold import read_gold
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.labels.files import read_labels

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
def test_an_error_about_another_encoding_says_what_to_do(tmp_path, encoding):
    path = spreadsheet(tmp_path / "sheet.csv", delimiter=";", encoding=encoding, rest="c;Caf\u00e9.;;\r\n")
    with pytest.raises(InputError, match="CSV UTF-8"):
        list(read_answers(path))


def test_a_column_that_differs_in_capitals_is_named_with_the_option_that_takes_it(tmp_path):
    path = tmp_path / "sheet.csv"
    path.write_text("ID,Prediction\n1,Yes.\n", encoding="utf-8")
    (bad,) = read_answers(path)
    assert "rename it, or columns={'prediction': 'Prediction'}" in str(bad.error)
    with speak_of_options():
        (bad,) = read_answers(path)
    assert "rename it, or --map prediction=Prediction" in str(bad.error)


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


@pytest.mark.parametrize("field", ["references", "passages", "claims", "statements"])
@pytest.mark.parametrize(
    "cell",
    ["[SEP]", "[Effect of zinc on colds].", '[Effect of "zinc", 2020]', "[ ] Rest", "[None of these]", "{x}"],
)
def test_a_cell_that_begins_as_no_list_of_texts_is_one_text_in_every_field(tmp_path, field, cell):
    with (tmp_path / "a.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["prediction", field], ["p", cell]])
    (answer,) = read_answers(tmp_path / "a.csv")
    assert [getattr(item, "text", item) for item in getattr(answer, field)] == [cell]


@pytest.mark.parametrize("cell", ['["a"', "['a' 'b']", '["a"] zinc', "[array(['a'])]", "[nan, 'a'"])
def test_a_cell_that_begins_as_a_list_of_texts_and_is_none_is_refused_in_every_field(tmp_path, cell):
    for field in ("references", "passages", "claims", "statements"):
        with (tmp_path / "a.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["prediction", field], ["p", cell]])
        (bad,) = read_answers(tmp_path / "a.csv")
        assert f"field {field!r}: not a list as JSON or Python writes it" in str(bad.error)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_whole_numbers_that_pandas_made_floats_are_whole_in_answers_labels_gold_and_an_index(tmp_path, ending):
    pandas = pytest.importorskip("pandas")

    def written(name, rows):
        """The rows as pandas saves them; the column of whole numbers lacks one, so that pandas holds floats."""
        frame, path = pandas.DataFrame(rows), tmp_path / f"{name}.{ending}"
        assert {str(frame[column].dtype) for column in frame if column in ("year", "pmid", "claim")} <= {"float64"}
        if ending == "csv":
            frame.to_csv(path, index=False)
        elif ending == "parquet":
            frame.to_parquet(path)
        else:  # `to_json` writes 2020.0 as 2020; others do not
            path.write_text("".join(json.dumps(row) + "\n" for row in frame.to_dict("records")).replace("NaN", "null"))
        return path

    answers = written("a", [{"prediction": "p", "year": 2020}, {"prediction": "12.0", "year": None}])
    first, second = read_answers(answers)
    assert (repr(first.meta), second.prediction) in (("{'year': 2020}", "12.0"), ("{'year': '2020'}", "12.0"))
    rows = [{"text": "Zinc helps.", "year": 2020, "pmid": 12345678}, {"text": "Rest.", "year": None, "pmid": None}]
    build_index(tmp_path / "index", [written("index", rows)])
    (passage, _), *_ = TextIndex(tmp_path / "index").search("zinc", limit=1)
    assert (passage.year, passage.id) == (2020, "12345678")
    (label,) = read_labels(written("labels", [{"id": 7.0, "claim": 1.0, "label": "supported"}])).labels
    assert (label.id, label.claim) == ("7", 1)
    assert list(read_gold(written("gold", [{"id": 7.0, "hallucination": True}]))) == ["7"]

"""Files as editors, pandas and other programs save them, wherever they are read."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import fas
from fas.answers.files import BadLine, read_answers
from fas.bench.files import read_csv, read_json, read_lines
from fas.errors import InputError, ProfileError
from fas.evaluate_modules.page import compute_lines
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.manifest import read_manifest
from fas.evidence.snapshot import FORMAT, SnapshotRetriever
from fas.findings.gold import read_gold as read_findings_gold
from fas.findings.rules import load_rules
from fas.labels.exchange import imported
from fas.labels.files import read_labels
from fas.llm.prices import price_of
from fas.report.correlate import read_gold
from fas.training.callback import _rows
from fas.verify.comparison import read_labelled_pairs

MARK = b"\xef\xbb\xbf"
SEPARATORS = "one\u2028two\u0085three"
DEEP = b"[" * 100_000


def answers(path):
    found = list(read_answers(path))
    for one in found:
        if isinstance(one, BadLine):
            raise one.error
    return found


def indexed(path):
    build_index(path.parent / "index", [path])
    return TextIndex(path.parent / "index")


LINES = {
    "answers": (answers, {"id": "a", "prediction": SEPARATORS}),
    "documents of an index": (indexed, {"id": "a", "text": SEPARATORS}),
    "labels": (
        lambda path: read_labels(path).labels,
        {"id": "a", "claim": 1, "label": "supported", "text": SEPARATORS},
    ),
    "gold": (read_gold, {"id": "a", "gold": 0.5, "note": SEPARATORS}),
    "gold of findings": (read_findings_gold, {"id": "a", "hallucination": True, "note": SEPARATORS}),
    "lines of a benchmark": (lambda path: [one.record for one in read_lines(path)], {"question": SEPARATORS}),
    "pairs of a verifier": (read_labelled_pairs, {"premise": SEPARATORS, "claim": "b", "label": "neutral"}),
    "questions of a callback": (_rows, {"question": SEPARATORS}),
}


@pytest.mark.parametrize("name", LINES)
def test_a_byte_order_mark_and_line_separators_in_strings_are_read_wherever_lines_of_json_are(name, tmp_path):
    reader, record = LINES[name]
    path = tmp_path / "a.jsonl"
    line = json.dumps(record, ensure_ascii=False).encode()
    path.write_bytes(MARK + line + b"\r\n\r\n" + line.replace(b'"a"', b'"b"') + b"\n")
    found = reader(path)
    assert len(found) == 2
    if name == "answers":
        assert [one.prediction for one in found] == [SEPARATORS, SEPARATORS]
    if name == "labels":
        assert [one.text for one in found] == [SEPARATORS, SEPARATORS]


def test_the_answers_of_a_module_page_are_lines_of_json_and_no_others():
    class Metric:
        def compute(self, **columns):
            return columns

    text = json.dumps({"prediction": SEPARATORS}, ensure_ascii=False)
    assert compute_lines(Metric(), f"{text}\n{text}") == {"predictions": [SEPARATORS] * 2}


@pytest.mark.parametrize("name", [name for name in LINES if name != "answers"])
@pytest.mark.parametrize("damage", [DEEP, b'{"id": "caf\xe9"}', b"[1]", b'{"id": '])
def test_a_damaged_line_is_an_error_with_its_file_and_line_wherever_lines_of_json_are_read(name, damage, tmp_path):
    reader, record = LINES[name]
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(record).encode() + b"\n" + damage + b"\n")
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: ") as caught:
        reader(path)
    assert caught.value.line == 2


def manifest(path):
    path.rename(path.with_name("manifest.json"))
    return read_manifest(path.parent)


DOCUMENTS = {
    "a benchmark": read_json,
    "an export of an annotation tool": lambda path: imported(path, "label-studio"),
    "a snapshot": lambda path: SnapshotRetriever(argument=str(path)),
    "a manifest": manifest,
    "a profile": fas.load_profile,
    "rules": lambda path: load_rules(str(path)),
    "prices": lambda path: price_of("m", "http://x", table=path),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("damage", [DEEP, b"a = " + DEEP, b"\xff"])
def test_a_document_that_is_nested_too_deeply_is_an_error_that_names_it(name, damage, tmp_path):
    path = tmp_path / "d.toml"
    path.write_bytes(damage)
    with pytest.raises((InputError, ProfileError), match=r"d\.toml|manifest\.json"):
        DOCUMENTS[name](path)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e999", "-1e999", "true1"])
def test_a_number_that_no_float_holds_is_an_error_with_line_and_field(number, tmp_path):
    path = tmp_path / "a.jsonl"
    for reader, field in ((read_gold, "gold"), (read_labels, "pi")):
        path.write_text(f'{{"id": "a", "claim": 1, "label": "supported", "{field}": {number}}}\n')
        with pytest.raises(InputError, match=rf"a\.jsonl, line 1: (field '{field}'|not JSON)"):
            reader(path)


# --- what pandas makes of whole numbers ---------------------------------------------------------------


FRAME = pd.DataFrame(
    {
        "id": [12345678.0, 12345679.0],
        "pmid": [12345678.0, float("nan")],
        "text": ["Zinc shortened colds.", "Honey eased cough."],
        "year": [2020.0, float("nan")],
    }
)


def saved(frame, tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path, index=False)
    else:
        rows = [{k: None if v != v else v for k, v in row.items()} for row in frame.to_dict("records")]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_whole_number_that_pandas_made_a_float_is_that_number_in_an_index(ending, tmp_path):
    build_index(tmp_path / "i", [saved(FRAME.drop(columns="id"), tmp_path, ending)])
    index = TextIndex(tmp_path / "i")
    found = index.get("12345678")
    assert found is not None
    assert (found.id, found.year) == ("12345678", 2020)
    assert len(index) == 2


def test_a_whole_number_that_pandas_made_a_float_is_that_number_in_labels_and_gold(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 12345678.0, "claim": 2.0, "label": "supported", "gold": 1.0, "hallucination": true}\n')
    (label,) = read_labels(path).labels
    assert label.key == ("12345678", 2)
    assert read_gold(path) == ({"12345678": 1.0}, 0)
    assert list(read_findings_gold(path)) == ["12345678"]


# --- tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("reader", [answers, indexed, lambda path: list(read_csv(path))])
def test_a_table_in_another_encoding_is_told_with_the_line_and_the_remedy(reader, tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("id,prediction,text\n1,x,y\n2,caf\u00e9,caf\u00e9\n".encode("cp1252"))
    with pytest.raises(InputError, match=r"a\.csv, line 3: not UTF-8 .* save the file as UTF-8") as caught:
        reader(path)
    assert caught.value.line == 3


@pytest.mark.parametrize(("name", "data"), [("e.jsonl", ""), ("e.csv", "id,text\n"), ("e.xml", "<PubmedArticleSet/>")])
def test_a_file_without_a_document_is_told(name, data, tmp_path, caplog):
    (tmp_path / name).write_text(data)
    build_index(tmp_path / "i", [tmp_path / name])
    assert f"{tmp_path / name}: holds no document" in caplog.text


# --- files that fas wrote and somebody changed --------------------------------------------------------


@pytest.fixture
def index(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "Zinc shortens colds."}\n')
    build_index(tmp_path / "i", [tmp_path / "a.jsonl"])
    return tmp_path / "i"


@pytest.mark.parametrize("field", ["content_hash", "documents", "files"])
@pytest.mark.parametrize("value", [None, 5, "x", [1], {"a": "b"}])
def test_a_manifest_with_a_field_of_another_kind_is_an_error_that_names_it(index, field, value):
    path = index / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), field: value}))
    with pytest.raises(InputError, match=r"manifest\.json: cannot be read|is not the index that was built"):
        TextIndex(index)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("answer", 5),
        ("claim", None),
        ("passages", "x"),
        ("passages", [5]),
        ("n_cut", "x"),
        ("n_cut", True),
        ("failure", 5),
    ],
)
def test_a_line_of_a_snapshot_with_a_field_of_another_kind_is_an_error_with_its_line(tmp_path, field, value):
    path = tmp_path / "s.jsonl"
    line = {"answer": "a", "claim": "c", "passages": [], "n_cut": 0, "failure": None, "query": None}
    head = json.dumps({"fas_snapshot": FORMAT, "source": "passages"})
    path.write_text(f"{head}\n{json.dumps(line)}\n")
    assert len(SnapshotRetriever(argument=str(path))) == 1
    path.write_text(f"{head}\n{json.dumps(line)}\n{json.dumps({**line, field: value})}\n")
    with pytest.raises(InputError, match=r"s\.jsonl, line 3: not a line of a snapshot"):
        SnapshotRetriever(argument=str(path))

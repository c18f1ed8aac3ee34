"""Files as editors, pandas and other programs save them, wherever they are read."""

from __future__ import annotations

import json

import pytest

import fas
from fas.bench.files import read_json, read_lines
from fas.core.answers.files import BadLine, read_answers
from fas.core.errors import InputError, ProfileError
from fas.detectors.gold import read_gold as read_findings_gold
from fas.detectors.rules import load_rules
from fas.evidence.build import build_index
from fas.evidence.index import TextIndex
from fas.evidence.snapshot import SnapshotRetriever
from fas.integrations.training.callback import _rows
from fas.labels.exchange import import_tasks
from fas.labels.files import read_labels
from fas.llm.prices import find_price
from fas.report.correlate import read_gold
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


@pytest.mark.parametrize("name", [name for name in LINES if name != "answers"])
@pytest.mark.parametrize("damage", [DEEP, b'{"id": "caf\xe9"}', b"[1]", b'{"id": '])
def test_a_damaged_line_is_an_error_with_its_file_and_line_wherever_lines_of_json_are_read(name, damage, tmp_path):
    reader, record = LINES[name]
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(record).encode() + b"\n" + damage + b"\n")
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: ") as caught:
        reader(path)
    assert caught.value.line == 2


DOCUMENTS = {
    "a benchmark": read_json,
    "an export of an annotation tool": lambda path: import_tasks(path, "label-studio"),
    "a snapshot": lambda path: SnapshotRetriever(argument=str(path)),
    "a profile": fas.load_profile,
    "rules": lambda path: load_rules(str(path)),
    "prices": lambda path: find_price("m", "http://x", table=path),
}


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("damage", [DEEP, b"a = " + DEEP, b"\xff"])
def test_a_document_that_is_nested_too_deeply_is_an_error_that_names_it(name, damage, tmp_path):
    path = tmp_path / "d.toml"
    path.write_bytes(damage)
    with pytest.raises((InputError, ProfileError), match=r"d\.toml"):
        DOCUMENTS[name](path)


def test_a_year_and_a_pmid_that_are_text_lose_what_pandas_wrote_behind_them(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"pmid": "12345678.0", "text": "Zinc shortened colds.", "year": "2020.0"}\n')
    found = indexed(tmp_path / "a.jsonl").get("12345678")
    assert found is not None
    assert found.year == 2020


@pytest.mark.parametrize(("name", "data"), [("e.jsonl", ""), ("e.csv", "id,text\n"), ("e.xml", "<PubmedArticleSet/>")])
def test_a_file_without_a_document_gets_a_warning(name, data, tmp_path, caplog):
    (tmp_path / name).write_text(data)
    build_index(tmp_path / "i", [tmp_path / name])
    assert f"{tmp_path / name}: holds no document" in caplog.text

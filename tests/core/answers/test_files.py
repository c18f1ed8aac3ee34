"""The values that an input file may hold, and the error of each mistake."""

from __future__ import annotations

import csv
import json
import re
from datetime import date
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fas.core.answers.files import BadLine, read_answers, scan
from fas.core.answers.schema import to_answer
from fas.core.answers.strict_json import find_repeated_key, load_strict_json
from fas.core.errors import InputError
from fas.core.records import Answer, Claim, Passage, RecordError


def write(folder, text, name="answers.jsonl"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return path


def read_all(path) -> list[Any]:
    return list(read_answers(path))


def only_bad(path):
    """The error of the single bad line of *path*."""
    (bad,) = [item for item in read_all(path) if isinstance(item, BadLine)]
    return bad.error


def refused(record):
    """The error that *record* raises as line 7 of a file."""
    with pytest.raises(InputError) as caught:
        to_answer(record, line=7, where="a.jsonl, line 7")
    assert str(caught.value).startswith("a.jsonl, line 7: field ")
    assert caught.value.line == 7
    return caught.value


def test_every_field_of_the_format_arrives_where_it_belongs(tmp_path):
    record = {
        "id": "q1",
        "question": "Does it help?",
        "prediction": "It helps.",
        "references": ["Yes.", "It does."],
        "passages": ["A note.", {"text": "B", "id": 12, "title": "T", "year": "2020"}],
        "claims": ["It helps.", {"text": "It is good.", "start": 0, "end": 2}],
        "type": "yesno",
        "nested": {"a": [1, None, 2.5]},
    }
    (answer,) = read_all(write(tmp_path, json.dumps(record) + "\n"))
    assert answer == Answer(
        id="q1",
        prediction="It helps.",
        question="Does it help?",
        references=("Yes.", "It does."),
        passages=(Passage("A note."), Passage("B", "12", "T", 2020)),
        claims=(Claim("It helps.", 0, 9), Claim("It is good.", 0, 2)),
        meta={"type": "yesno", "nested": {"a": [1, None, 2.5]}},
        line=1,
    )


def test_only_the_prediction_is_required_and_it_may_be_empty(tmp_path):
    answers = list(read_all(write(tmp_path, '{"prediction": ""}\n{"prediction": "x", "id": null}\n')))
    assert [answer.id for answer in answers] == ["1", "2"]
    assert answers[0] == Answer("1", "", line=1)


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b'{"prediction": "x"', r"line 2: not JSON: .*; expected one JSON object a line"),
        (b"hello", r"line 2: not JSON"),
        (b"[1, 2]", r"line 2: expected a JSON object, got list \[1, 2\]"),
        (b"null", r"line 2: expected a JSON object, got null"),
        (b'{"prediction": "x", "score": NaN}', r"line 2: not JSON: NaN is not JSON"),
        (b'{"prediction": "x", "score": -Infinity}', r"line 2: not JSON: -Infinity is not JSON"),
        (b'{"prediction": "\xff"}', r"line 2: not UTF-8 \(byte 17 of the line\)"),
        (b"[" * 100_000, r"line 2: not JSON"),
        (b"[" * 700 + b"]" * 700, r"line 2: expected a JSON object, got list"),
        (b'{"prediction": "x", "n": ' + b"9" * 5000 + b"}", r"line 2: not JSON"),
    ],
)
def test_a_line_that_is_not_a_json_object_is_named(tmp_path, raw, problem):
    path = write(tmp_path, b'{"prediction": "good"}\n' + raw + b'\n{"prediction": "also good"}\n')
    items = read_all(path)
    assert [isinstance(item, BadLine) for item in items] == [False, True, False]
    error = items[1].error
    assert re.match(rf"{re.escape(str(path))}, {problem}", str(error), re.DOTALL)
    assert (error.line, items[1].id) == (2, "line:2")
    assert items[1].as_error().message == str(error)


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("prediction", None, "got null"),
        ("prediction", 5, "got int 5"),
        ("prediction", ["x"], "got list ['x']"),
        ("id", "", "got str ''"),
        ("id", 1.5, "got float 1.5"),
        ("id", True, "got bool True"),
        ("id", "line:12", "'line:12' is reserved"),
        ("question", 3, "got int 3"),
        ("references", 3, "got int 3"),
        ("references", {"a": 1}, "got dict {'a': 1}"),
        ("references", ["a", None], "item 2 must be a string, got null"),
        ("passages", 5, "got int 5"),
        ("passages", [3], "item 1 must be a string or an object with one as `text`, got int 3"),
        ("passages", ["a", {"id": 1}], "item 2 must be a string"),
        ("passages", [{"text": "a", "title": 1}], "item 1: `title` must be a string or null, got int 1"),
        ("passages", [{"text": "a", "year": "x"}], "item 1: `year` must be a whole number or null, got str 'x'"),
        ("passages", [{"text": "a", "year": 2.5}], "item 1: `year` must be a whole number or null"),
        ("passages", [{"text": "a", "id": []}], "item 1: `id` must be a string, a whole number or null"),
        ("passages", [{"text": "a", "corpus": ""}], "item 1: `corpus` must be a non-empty string"),
        ("claims", 5, "got int 5"),
        ("claims", [" "], "item 1 must be a non-empty string or an object with one as `text`, got str ' '"),
        ("claims", [{"start": 0, "end": 1}], "item 1 must be a non-empty string"),
        ("claims", [{"text": "a", "start": 0}], "item 1: `start` and `end` must be whole numbers"),
        ("claims", [{"text": "a", "start": 2, "end": 1}], "with 0 <= start < end <= 6, got 2 and 1"),
        ("claims", [{"text": "a", "start": 0, "end": 7}], "with 0 <= start < end <= 6, got 0 and 7"),
        ("claims", [{"text": "a", "start": "0", "end": 1}], "with 0 <= start < end <= 6, got '0' and 1"),
        ("claims", [{"text": "a", "context": " "}], "item 1: `context` must be a non-empty string"),
        ("claims", [{"text": "a", "label": 1}], "item 1: `label` must be a string"),
        ("statements", [{"text": "a", "kind": "can"}], "item 1: `kind` must be one of must, nice, got str 'can'"),
        ("statements", [{"text": "a", "severity": 1}], "item 1: `severity` must be a string"),
        ("score", float("inf"), "holds inf; JSON has no such number"),
        ("when", object(), "type object, which JSON cannot represent"),
        ("blob", b"x", "type bytes, which JSON cannot represent"),
        ("table", {(1, 2): 3}, "holds the key (1, 2); keys must be strings"),
    ],
)
def test_a_wrong_value_names_field_found_and_allowed(field, value, problem):
    error = refused({"prediction": "answer", field: value})
    assert problem in str(error)
    assert error.field == field


def test_a_repeated_id_names_both_lines(tmp_path):
    text = '{"id": 1, "prediction": "a"}\n{"id": "x", "prediction": "b"}\n{"id": "1", "prediction": "c"}\n'
    error = only_bad(write(tmp_path, text))
    assert re.search(r"line 3: field 'id': '1' was already used in line 1; ids are unique", str(error))
    assert error.kind == "duplicate_id"


def test_a_missing_file_a_folder_and_an_unknown_suffix_have_errors_of_their_own(tmp_path):
    (tmp_path / "folder.jsonl").mkdir()
    for path, problem in [
        (tmp_path / "nothing.jsonl", r"nothing\.jsonl: no such file"),
        (tmp_path / "nothing", r"nothing: no such file"),
        (tmp_path / "folder.jsonl", r"folder\.jsonl: is a folder, not a file"),
        (tmp_path, "is a folder, not a file"),
        (
            write(tmp_path, "x", "answers.xlsx"),
            r"unknown format '\.xlsx'; allowed: \.jsonl, \.ndjson, \.json, \.csv, \.tsv, \.parquet",
        ),
        (write(tmp_path, "x", "answers"), r"unknown format '\(no suffix\)'"),
    ]:
        with pytest.raises(InputError, match=problem):
            scan(path)


def test_a_scan_counts_answers_bad_lines_passages_claims_and_fields(tmp_path):
    path = write(
        tmp_path, '{"prediction": "a", "passages": []}\n{}\n{"prediction": "b", "claims": ["b"], "type": "t"}\n'
    )
    found = scan(path)
    assert (found.n, found.has_passages, found.has_claims, len(found.bad)) == (3, True, True, 1)
    assert found.meta == frozenset({"type"})
    assert found.digest == scan(path).digest != scan(write(tmp_path, '{"prediction": "a"}', "b.jsonl")).digest


@pytest.mark.parametrize(
    ("line", "field", "problem"),
    [
        ('{"prediction": "x", "id": "a", "prediction": "y"}', "prediction", "given more than once"),
        ('{"prediction": "x", "type": 1, "type": 1}', "type", "given more than once"),
        (
            '{"prediction": "x", "passages": ["p", {"text": "a", "text": "b"}]}',
            "passages",
            "gives the key 'text' of an object more than once",
        ),
        (
            '{"prediction": "x", "nested": {"a": [{"b": {"c": 1, "c": 2}}]}}',
            "nested",
            "gives the key 'c' of an object more than once",
        ),
    ],
)
def test_a_key_that_is_given_twice_is_refused_and_the_other_lines_go_on(tmp_path, line, field, problem):
    good = '{"prediction": "x", "nested": {"prediction": 1}, "other": [{"a": 1}, {"a": 1}]}'
    path = write(tmp_path, f"{good}\n{line}\n{good}\n")
    items = read_all(path)
    assert [isinstance(item, BadLine) for item in items] == [False, True, False]
    assert items[1].as_error() == RecordError(
        "duplicate_key", 2, field, f"{path}, line 2: field {field!r}: {problem}; the intended value is ambiguous"
    )
    as_list = read_all(write(tmp_path, f"[{good},\n{line},\n{good}]", "answers.json"))
    assert [isinstance(item, BadLine) for item in as_list] == [False, True, False]
    assert (as_list[1].error.line, as_list[1].error.field) == (2, field)


def test_a_json_file_is_a_list_of_objects(tmp_path):
    path = write(tmp_path, '\ufeff[{"prediction": "a"}, 3, {"prediction": "b"}]', "answers.json")
    items = read_all(path)
    assert [item.id for item in items] == ["1", "line:2", "3"]
    assert "line 2: expected a JSON object, got int 3" in str(items[1].error)


def test_a_csv_file_holds_lists_as_json_and_empty_cells_are_missing(tmp_path):
    path = tmp_path / "answers.csv"
    with path.open("w", encoding="utf-8-sig", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "prediction", "references", "passages", "type"])
        rows.writerow(
            ["a", "Line one.\nLine, two.", "one reference", json.dumps(["p", {"text": "q", "year": 2020}]), "t"]
        )
        rows.writerow(["", "", '["r1", "r2"]', "", ""])
    first, second = read_all(path)
    assert (first.prediction, first.references, first.meta) == (
        "Line one.\nLine, two.",
        ("one reference",),
        {"type": "t"},
    )
    assert first.passages == (Passage("p"), Passage("q", year=2020))
    assert (second.id, second.prediction, second.references, second.passages) == ("2", "", ("r1", "r2"), None)


@pytest.mark.parametrize("raw", [b"prediction\n\xff\n", b'prediction\n"x'])
def test_a_csv_file_in_another_encoding_or_with_an_open_quote_is_refused(tmp_path, raw):
    problem = ", line 2: not UTF-8" if b"\xff" in raw else ", line 2: the row that begins here is not CSV"
    with pytest.raises(InputError, match=rf"answers\.csv{problem}"):
        scan(write(tmp_path, raw, "answers.csv"))


def test_a_parquet_file_keeps_types_and_dates_become_iso_text(tmp_path):
    rows = [
        {
            "id": 7,
            "prediction": "a",
            "references": ["r"],
            "passages": [{"text": "t", "year": 2020}],
            "on": date(2024, 5, 1),
            "gold": 0.5,
        },
        {"id": 8, "prediction": None, "references": None, "passages": None, "on": None, "gold": float("nan")},
    ]
    path = tmp_path / "answers.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    good, bad = read_all(path)
    assert (good.id, good.references, good.passages) == ("7", ("r",), (Passage("t", year=2020),))
    assert good.meta == {"on": "2024-05-01", "gold": 0.5}
    assert "line 2: field 'prediction': expected a string (it may be empty), got null" in str(bad.error)


TEXT = st.text(max_size=30)
META = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)


@st.composite
def answer_records(draw):
    prediction = draw(TEXT)
    record = {"prediction": prediction}
    if draw(st.booleans()):
        record["question"] = draw(TEXT)
    if draw(st.booleans()):
        record["references"] = draw(st.lists(TEXT, max_size=3))
    if draw(st.booleans()):
        passage = st.fixed_dictionaries(
            {"text": TEXT},
            optional={"id": TEXT, "title": st.none() | TEXT, "year": st.none() | st.integers(1800, 2100)},
        )
        record["passages"] = draw(st.lists(TEXT | passage, max_size=3))
    if prediction and draw(st.booleans()):
        start = draw(st.integers(0, len(prediction) - 1))
        end = draw(st.integers(start + 1, len(prediction)))
        record["claims"] = [{"text": "claim", "start": start, "end": end}]
    record.update({f"x-{key}": value for key, value in draw(st.dictionaries(TEXT, META, max_size=2)).items()})
    return record


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(answer_records(), min_size=1, max_size=4), ascii_only=st.booleans())
def test_answers_survive_the_way_through_a_file(tmp_path, records, ascii_only):
    expected = [to_answer(record, line=i, where="x") for i, record in enumerate(records, start=1)]
    lines = "".join(json.dumps(record, ensure_ascii=ascii_only) + "\n" for record in records)
    assert list(read_all(write(tmp_path, lines))) == expected
    assert list(read_all(write(tmp_path, json.dumps(records), "answers.json"))) == expected


def _read_one(record):
    try:
        yield to_answer(record, line=1, where="x, line 1")
    except InputError as error:
        yield error


@settings(max_examples=200, deadline=None)
@given(
    value=st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | TEXT
    | st.binary(max_size=3)
    | st.lists(TEXT, max_size=2)
    | st.dictionaries(TEXT, TEXT, max_size=2)
    | st.lists(st.dictionaries(st.sampled_from(["text", "start"]), TEXT)),
    field=st.sampled_from(["id", "question", "prediction", "references", "passages", "claims", "other"]),
)
def test_any_value_in_any_field_is_read_or_refused_with_an_input_error(value, field):
    (item,) = _read_one({"prediction": "x", field: value})
    if isinstance(item, InputError):
        assert item.field == field
    else:
        json.dumps(dict(item.meta), allow_nan=False).encode()


@pytest.mark.parametrize(
    ("record", "found"),
    [
        ({"reference": "x"}, {("reference", "references"): 1}),
        ({"References": ["x"], "Question": "y"}, {("References", "references"): 1, ("Question", "question"): 1}),
        ({"passage": "x", "claim": "y"}, {("passage", "passages"): 1, ("claim", "claims"): 1}),
        ({"reference": "x", "references": ["y"]}, {}),  # the field is there: the other is a name of its own
        ({"reference": "x", "references": []}, {("reference", "references"): 1}),
        ({"refs": "x", "model": "m", "reference_source": "WHO", "": 1}, {}),
    ],
)
def test_a_name_that_looks_like_a_field_which_the_answer_lacks_is_found(tmp_path, record, found):
    path = write(tmp_path, json.dumps({"prediction": "Zinc.", **record}) + "\n" + json.dumps({"prediction": "Iron."}))
    assert scan(path).misnamed == found


def test_a_repeated_key_is_found_among_two_hundred_thousand_and_nine_hundred_deep():
    # Were each key compared with all others, these would be 40,000,000,000 comparisons.
    many = "".join(f'"{n}": 1, ' for n in range(200_000))
    assert find_repeated_key(load_strict_json(f'{{{many} "last": 1, "last": 2}}')) == ("last", "last")
    deep = '{"a": ' * 900 + '{"b": 1, "b": 2}' + "}" * 900
    assert find_repeated_key(load_strict_json(deep)) == ("a", "b")

"""JSON out of replies. Oracle: the JSON standard by `json.loads`, and hand-written replies of each shape."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fas.llm.parsing import parse_json
from fas.llm.schema import find_violation, is_strict

VERDICT = {
    "type": "object",
    "properties": {"label": {"enum": ["True", "False"]}, "reason": {"type": "string"}},
    "required": ["label"],
    "additionalProperties": False,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
CONTAINER = st.lists(JSON, max_size=4) | st.dictionaries(st.text(), JSON, max_size=4)


@pytest.mark.parametrize(
    "text",
    [
        '{"label": "True"}',
        '  \n{"label": "True"}\n ',
        '\ufeff{"label": "True"}',
        '```json\n{"label": "True"}\n```',
        '```\n{"label": "True"}\n```',
        '~~~json\n{"label": "True"}\n~~~',
        'Here is my verdict:\n```json\n{"label": "True"}\n```\nI hope it helps.',
        'My verdict is {"label": "True"} because of [1] and {so on}.',
        'As shown in [1], {"label": "True"}',
        '{"label": "True",}',
        '{"label": "True" , \n }',
        '<think>Could be {"label": "False"}?</think>\n{"label": "True"}',
        'Could be {"label": "False"}? No.</think>{"label": "True"}',
        '{"label": "True"} I repeat: {"label": "True"}',
        '{"label": "True", "reason": "it says \\"[sic\\" there, }"}',
    ],
)
def test_every_wrapping_gives_the_same_value(text):
    parsed = parse_json(text, schema=VERDICT)
    assert parsed.ok, parsed.reason
    assert parsed.value["label"] == "True"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("True", "no JSON object"),
        ("I cannot judge this.", "no JSON object"),
        ('["True"]', "no JSON object"),
        ('{"label": "Tr', "cut off"),
        ('```json\n{"label": "True",', "cut off"),
        ('{"label": "True"', "cut off"),
        ('{"label": "True"} or {"label": "Fa', "cut off"),
        ('{"label": "True"} or {"label": "False"}', "2 different"),
        ('{"label": "True", "label": "False"}', "'label' more than once"),
        ("{'label': 'True'}", "cannot be read"),
        ('{"label" "True"}', "cannot be read"),
        ('{"label": ["True"}', "cannot be read"),
        ('{"label": NaN}', "NaN is not JSON"),
        ('{"verdict": "True"}', "'label' is missing .keys found: 'verdict'"),
        ('{"label": "true"}', "'true' is not one of 'True', 'False'"),
        ('{"label": "True", "p": 1}', "'p' is not allowed"),
        ('{"label": "True", "reason": 3}', r"\$.reason: expected string, found integer"),
        ('<think>Maybe {"label": "True"}', "while the model was thinking"),
        ('{"label": ' + "[" * 5000 + "]" * 5000 + "}", "nested deeper"),
    ],
)
def test_what_cannot_be_read_has_a_reason_and_no_value(text, reason):
    parsed = parse_json(text, schema=VERDICT)
    assert not parsed.ok
    assert parsed.value is None
    assert re.search(reason, parsed.reason), parsed.reason


@given(CONTAINER)
@settings(max_examples=150, deadline=None)
def test_any_json_survives_prose_and_fences(value):
    written = json.dumps(value, indent=1)
    assert parse_json(written).value == value
    assert parse_json(f"```json\n{written}\n```").value == value
    assert parse_json(f"Certainly. The answer: {written} That is all.").value == value


@given(st.text(max_size=200), st.booleans())
@settings(max_examples=150, deadline=None)
def test_no_text_at_all_raises(text, cut_off):
    parsed = parse_json(text, cut_off=cut_off)
    assert parsed.ok != (parsed.reason is not None)


@pytest.mark.parametrize(
    ("value", "schema", "wrong"),
    [
        (1, {"type": "integer"}, None),
        (None, {"type": ["number", "null"]}, None),
        ("x", {"type": ["number", "null"]}, "expected number or null, found string"),
        (1.5, {"type": "integer"}, "expected integer, found number"),
        (1, {"type": "number"}, None),
        (True, {"type": "integer"}, "expected integer, found boolean"),
        (True, {"enum": [1]}, "True is not one of 1"),
        ([1, "x"], {"type": "array", "items": {"type": "integer"}}, "$[1]: expected integer, found string"),
        ({"a": "b"}, {"type": "object", "properties": {"a": {"type": "integer"}}}, "$.a: expected integer"),
        ({"b": 1}, {"type": "object", "properties": {"a": {}}, "additionalProperties": False}, "'b' is not allowed"),
        ({"b": 1}, {"type": "object", "properties": {"a": {}}}, None),
    ],
)
def test_a_schema_finds_the_first_contradiction(value, schema, wrong):
    found = find_violation(value, schema)
    assert (found is None) == (wrong is None)
    assert wrong is None or wrong in found


@pytest.mark.parametrize("schema", [{"minItems": 1}, {"type": "text"}])
def test_a_schema_that_nobody_checks_is_an_error(schema):
    with pytest.raises(ValueError, match="JSON schema"):
        find_violation([], schema)


def test_strict_mode_needs_closed_objects_all_the_way_down():
    closed = {"type": "object", "properties": {"a": {}}, "required": ["a"], "additionalProperties": False}
    assert is_strict(closed)
    assert not is_strict({**closed, "required": []})
    assert not is_strict({"type": "array", "items": closed})
    assert not is_strict({**closed, "properties": {"a": {"type": "array", "items": {"type": "object"}}}})


@given(CONTAINER, st.data())
@settings(max_examples=100, deadline=None)
def test_no_proper_beginning_of_json_is_ever_read_as_a_value(value, data):
    written = json.dumps(value)
    cut = data.draw(st.integers(0, len(written) - 1))
    assert not parse_json(written[:cut]).ok
    assert not parse_json(f"```json\n{written[:cut]}", cut_off=True).ok


@given(st.lists(st.text(max_size=8), min_size=1, max_size=4))
@settings(max_examples=100, deadline=None)
def test_a_trailing_comma_changes_nothing_not_even_inside_strings(items):
    written = json.dumps(items)
    assert parse_json(written[:-1] + " , ]").value == items

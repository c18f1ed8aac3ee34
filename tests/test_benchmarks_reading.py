"""What counts on how many texts the rows of the readers' patterns fire."""

from __future__ import annotations

import importlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reading.counting import Counting, Counts, counted, modules
from benchmarks.reading.cues import annotated, main
from benchmarks.reading.rows import alternatives, instrumented, row_of, source_of, written

ATOMS = [
    "a",
    "b",
    r"\|",
    "[|)(]",
    "(?:a|b)",
    "(?:ab|)",
    "a?",
    "(a|b)",
    "(?=a|b)",
    "(?<!a)",
    "(?P<n>a|ba)",
    "|",
    "(?:a|(?:b|c))*",
]


@given(st.lists(st.sampled_from(ATOMS), max_size=6).map("".join), st.text(alphabet="abc|()", max_size=12))
def test_a_counted_pattern_matches_where_the_pattern_does(pattern, text):
    try:
        plain = re.compile(pattern)
    except re.error:
        return
    made = instrumented(pattern)
    assert made is not None
    inside = re.compile(made[0])
    assert [m.span() for m in inside.finditer(text)] == [m.span() for m in plain.finditer(text)]
    assert len(made[1]) == sum(one.counted for one in alternatives(pattern))


@given(st.lists(st.sampled_from(["x", "yy", "z"]), min_size=2, max_size=4, unique=True), st.data())
def test_the_row_that_fired_is_the_one_that_matches_by_itself(words, data):
    word = data.draw(st.sampled_from(words))
    made = instrumented(f"(?:{'|'.join(words)})")
    assert made is not None
    found = re.compile(made[0]).search(word)
    assert found is not None
    assert [words[n] for n, group in enumerate(made[1]) if found.group(group) is not None] == [word]


def test_alternatives_that_keep_something_from_firing_are_no_rows():
    assert [one.counted for one in alternatives("(?<!a|b)(?!c|d)(?:e|f)")] == [False] * 4 + [True] * 2


def test_most_of_what_the_readers_patterns_say_is_traced_to_where_it_is_written():
    traced = written(modules())
    compiled = {
        value.pattern
        for name in modules()
        for value in vars(importlib.import_module(name)).values()
        if isinstance(value, re.Pattern)
    }
    assert sum(pattern in traced for pattern in compiled) > 0.8 * len(compiled)
    for pattern, found in traced.items():
        for place, character in zip(found.paths, pattern, strict=True):
            if place and place[-1][2] == place[-1][1] + 1:
                assert source_of(place[-1][0])[place[-1][1]] == character


def test_a_word_that_several_patterns_share_is_one_row():
    traced = written(modules())
    places = [
        row_of(found, one)
        for pattern, found in traced.items()
        for one in alternatives(pattern)
        if pattern[one.start : one.end] == "never"
    ]
    shared = [place for place in places if place is not None and place[0] == "fas.safety.cues"]
    assert len(shared) > len(set(shared))


def test_counting_leaves_the_modules_as_they_were():
    names = modules()
    before = {(name, key): value for name in names for key, value in vars(importlib.import_module(name)).items()}
    with counted() as counts:
        assert isinstance(importlib.import_module("fas.safety.cues").NEGATED, Counting)
        assert isinstance(counts, Counts)
    after = {(name, key): value for name in names for key, value in vars(importlib.import_module(name)).items()}
    assert {key for key in before if before[key] is not after[key]} == set()


@pytest.mark.parametrize("seed", ["1"])
def test_the_rows_that_fire_on_a_sample_of_annotated_answers_are_counted(seed, capsys):
    made = main(["--sample", "20", "--seed", seed])
    capsys.readouterr()
    assert made["texts"] == made["independent"] == 20
    for cells in made["modules"].values():
        assert cells["rows"] == sum(n for kind, n in cells.items() if kind != "rows")
    assert sum(cells.get("two or more", 0) for cells in made["modules"].values()) > 50
    assert len(list(annotated())) > 3_600

"""The page of the safety benchmark shows what is stored."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks.safety.blind import table
from benchmarks.safety.page import PAGE, RESULTS, marks, page, share, tables


def test_the_tables_of_the_page_are_those_of_the_stored_results():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text


def test_a_page_without_a_place_for_a_table_is_told():
    with pytest.raises(ValueError, match="no place for"):
        page("# An empty page\n")


def test_a_share_has_wilsons_interval():
    # By hand: 9 of 10, z = 1.959964: middle (0.9 + 0.192073)/1.384146, half sqrt(...)/1.384146.
    z = 1.959964
    middle = (0.9 + z * z / 20) / (1 + z * z / 10)
    half = z * math.sqrt(0.9 * 0.1 / 10 + z * z / 400) / (1 + z * z / 10)
    assert share(9, 10) == f"0.90 [{middle - half:.2f}, {middle + half:.2f}]"


def test_every_stored_run_has_a_table_with_its_counts():
    made = tables()
    for run in json.loads((RESULTS / "blind.json").read_text(encoding="utf-8")):
        for found, wanted, wrong, near in run["counts"].values():
            assert f"{found} of {wanted}" in made[run["cases"]]
            assert f"{wrong} of {near}" in made[run["cases"]]


def test_what_is_printed_and_what_is_stored_are_one():
    assert "| well | 3 of 4 |" in table({"well": [3, 4, 1, 4]})
    assert marks("x")[0] != marks("y")[0]

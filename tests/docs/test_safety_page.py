"""The page of the safety benchmark shows what is stored (that all of it does: test_pages.py)."""

from __future__ import annotations

import json
import math

from benchmarks.safety.blind import table
from benchmarks.safety.page import RESULTS, share, tables


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

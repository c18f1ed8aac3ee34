"""The page on claim extraction shows the stored numbers (that all of it does: test_pages.py)."""

from __future__ import annotations

import json

from benchmarks.claims import page


def test_a_cell_of_the_page_is_the_stored_number():
    found = json.loads((page.HERE / "results.json").read_text(encoding="utf-8"))["results"]["clauses/claims/r0.7/c0.7"]
    shown = f"| claims covered, r=0.7 c=0.7 | {found['mean']:.3f} [{found['low']:.3f}, {found['high']:.3f}] |"
    assert shown in page.PAGE.read_text(encoding="utf-8")

"""The page on the embedded models shows the stored numbers (that all of it does: test_pages.py)."""

from __future__ import annotations

import json

from benchmarks.embedded_models.nli import page


def test_a_cell_of_the_page_is_the_stored_number():
    by_model = json.loads(page.STORED.read_text(encoding="utf-8"))["tasks"]["snli_test"]
    value, low, high = by_model["fas-nli-mini"]["accuracy"]
    assert f"| {value:.3f} [{low:.3f}, {high:.3f}] |" in page.PAGE.read_text(encoding="utf-8")


def test_a_measured_folder_gets_the_name_of_its_model():
    assert page.renamed({"t": {"model-1a": {"n": 1}, "fas-nli-mini": {"n": 2}}}, "new") == {
        "t": {"new": {"n": 1}, "fas-nli-mini": {"n": 2}}
    }

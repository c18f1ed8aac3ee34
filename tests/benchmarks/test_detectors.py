"""The stored results of the detectors' benchmark, and what its page says of them."""

from __future__ import annotations

import json
import re

import pytest


@pytest.fixture
def results(root):
    return json.loads((root / "benchmarks" / "detectors" / "results.json").read_text(encoding="utf-8"))


@pytest.fixture
def page(root):
    return (root / "benchmarks" / "detectors" / "README.md").read_text(encoding="utf-8")


def test_what_the_page_says_of_the_best_member_is_what_was_measured(page, results):
    said = " ".join(page.split("### What this says")[1].split("<!--")[0].split())
    share = "combination: share of members, not aligned"
    named = {
        "bioasq": [("answers", "nli-sentences"), ("sentences", "nli-sentences"), ("answers", "combination")],
        "kqa": [("answers", "combination"), ("answers", "flag everything")],
    }
    for name, level, row in [(n, *one) for n, several in named.items() for one in [*several, ("answers", share)]]:
        f1 = results[name]["claims"][level]["rows"][row]["f1"]["mean"]
        assert f"{f1:.3f}".lstrip("0") in said, (name, level, row)
    for name, level in (("bioasq", "answers"), ("bioasq", "sentences"), ("kqa", "answers"), ("kqa", "sentences")):
        best = {"bioasq": "nli-sentences", "kqa": "nli-index"}[name]
        rows = results[name]["claims"][level]["rows"]
        single = [key for key in rows if not key.startswith(("combination", "flag"))]
        assert max(single, key=lambda key: rows[key]["f1"]["mean"]) == best
        (pair,) = [
            one for one in results[name]["claims"][level]["pairs"] if {one["a"], one["b"]} == {best, "combination"}
        ]
        assert f"{abs(pair['difference']):.3f}".lstrip("0") in said


def test_the_tables_of_the_page_are_the_stored_results(page, results):
    for name in ("bioasq", "kqa"):
        for row_name, row in results[name]["claims"]["answers"]["rows"].items():
            pattern = rf"^\| {re.escape(row_name)} \| {row['f1']['mean']:.3f} "
            assert re.search(pattern, page, re.MULTILINE), row_name


def test_the_papers_numbers_stand_in_a_table_of_their_own(page):
    ours, papers = page.split("## What the paper reports")
    assert "| agentic, Mistral-Nemo |" in papers
    assert "Mistral" not in ours
    assert "**flag every answer** (derived)" in papers
    assert ours.count("| flag everything |") == 4

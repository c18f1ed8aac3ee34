"""Every page whose tables are made of stored results is what its command makes of them."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from benchmarks import pages
from benchmarks.stored import measured, read_rows, row, store_rows
from benchmarks.tables import estimate, fill, table

MARKED = "before\n<!-- a: begin (written by x.py) -->\nold | table\n<!-- a: end -->\nafter\n"


@pytest.mark.parametrize("module", pages.MODULES)
def test_the_page_is_what_the_command_writes(module):
    assert pages.pages(module)
    assert pages.different(module) == []


def test_every_mark_of_a_page_belongs_to_a_module_of_the_list(root):
    marked = {
        path for folder in ("benchmarks", "docs") for path in (root / folder).rglob("*.md")
        if re.search(r"<!-- \w+: begin", path.read_text(encoding="utf-8"))
    }  # fmt: skip
    assert marked
    assert marked - {path for module in pages.MODULES for path in pages.pages(module)} == set()


def test_every_module_with_pages_is_in_the_list(root):
    folder = root / "benchmarks"
    makers = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if re.search(r"^def pages\(", path.read_text(encoding="utf-8"), re.MULTILINE) and path.parent != folder
    }
    assert makers == set(pages.MODULES)
    assert all(callable(import_module(f"benchmarks.{name}").pages) for name in makers)


def test_only_what_stands_between_the_marks_is_made_anew():
    made = fill(MARKED, {"a": "\nnew\n"})
    assert made == "before\n<!-- a: begin (written by x.py) -->\n\nnew\n\n<!-- a: end -->\nafter\n"
    assert fill(made, {"a": "new"}) == made


@pytest.mark.parametrize(
    "text",
    ["no marks", MARKED * 2, "<!-- a: end -->\n<!-- a: begin -->\n", "<!-- a: begin -->\n", MARKED.replace("a:", "b:")],
)
def test_a_page_without_one_pair_of_marks_is_not_written(text):
    with pytest.raises(ValueError, match="<!-- a: begin"):
        fill(text, {"a": "new"})


def test_a_table_has_a_cell_for_each_title_and_keeps_bars_in_their_cells():
    made = table(("x", "n"), [("a|b", 1), (r"c\|d", None)], right=[1])
    assert made.splitlines() == ["| x | n |", "|---|---:|", r"| a\|b | 1 |", r"| c\|d |  |"]
    with pytest.raises(ValueError, match="2 cells"):
        table(("x", "n"), [("a",)])


def test_an_estimate_is_shown_with_its_interval_if_it_has_one():
    assert estimate(0.5, 0.25, 0.75) == "0.500 [0.250, 0.750]"
    assert estimate(0.5, 0.25, 0.75, sign=True, digits=2) == "+0.50 [+0.25, +0.75]"
    assert estimate(0.5, None, 0.75) == estimate(0.5, float("nan"), float("nan")) == "0.500"
    assert estimate(None, None, None) == estimate(float("nan"), 0.1, 0.2) == "–"


def test_storing_replaces_the_rows_that_were_measured_anew(tmp_path: Path):
    path = tmp_path / "results.jsonl"
    store_rows(path, [{"what": "a", "row": "x", "n": 1}, {"what": "b", "row": "x", "n": 2}])
    store_rows(path, [{"what": "a", "row": "x", "n": 3}, {"what": "a", "row": "y", "n": 4}])
    assert [tuple(one.values()) for one in read_rows(path)] == [("a", "x", 3), ("b", "x", 2), ("a", "y", 4)]
    assert read_rows(path, "b") == [{"what": "b", "row": "x", "n": 2}]
    store_rows(path, [{"what": "a", "row": "z", "n": 5}], whole=True)
    assert [tuple(one.values()) for one in read_rows(path)] == [("b", "x", 2), ("a", "z", 5)]


def test_a_stored_row_says_of_what_machine_version_and_day_it_is():
    one = row("speed", "short", 8, {"s": 1.5}, packages=["numpy"], load=[1.0])
    assert list(one) == ["what", "row", "machine", "version", "date", "n", "medians", "load"]
    assert re.match(r"fas \d\S*, fas-en-mini@\d+, .*, numpy \d", one["version"])
    assert measured([one, one]) == f"Measured {one['date']}, {one['machine']}; {one['version']}."

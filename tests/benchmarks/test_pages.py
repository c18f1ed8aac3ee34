"""Every page whose tables are made of stored results is what its command makes of them."""

from __future__ import annotations

import re
from importlib import import_module

import pytest

from benchmarks import pages
from benchmarks.tables import fill

MARKED = "before\n<!-- a: begin (written by x.py) -->\nold | table\n<!-- a: end -->\nafter\n"


@pytest.mark.parametrize("module", pages.MODULES)
def test_the_page_is_what_the_command_writes(module):
    assert pages.pages(module)
    assert pages.different(module) == []


def test_every_module_with_pages_is_in_the_list(root):
    folder = root / "benchmarks"
    makers = {
        ".".join(path.relative_to(folder).with_suffix("").parts)
        for path in folder.rglob("*.py")
        if re.search(r"^def pages\(", path.read_text(encoding="utf-8"), re.MULTILINE) and path.parent != folder
    }
    assert makers == set(pages.MODULES)
    assert all(callable(import_module(f"benchmarks.{name}").pages) for name in makers)


@pytest.mark.parametrize(
    "text",
    ["no marks", MARKED * 2, "<!-- a: end -->\n<!-- a: begin -->\n", "<!-- a: begin -->\n", MARKED.replace("a:", "b:")],
)
def test_a_page_without_one_pair_of_marks_is_not_written(text):
    with pytest.raises(ValueError, match="<!-- a: begin"):
        fill(text, {"a": "new"})

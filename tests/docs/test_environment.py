"""The page of environment variables against the code that reads them."""

from __future__ import annotations

import ast
import re

_OWN = re.compile(r"(FAS|NCBI|OPENAI)_[A-Z_]+")


def read_in_code(root):
    """Every whole string of the package that is written like one of our variables."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((root / "fas").rglob("*.py"))]
    texts = [node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and _OWN.fullmatch(text)}


def test_the_page_lists_every_variable_that_is_read_and_no_other(root):
    page = (root / "docs" / "environment.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)) == read_in_code(root)


def test_what_a_command_sets_for_itself_is_on_the_page(root):
    from fas.cli import _ENVIRONMENT

    page = (root / "docs" / "environment.md").read_text(encoding="utf-8")
    assert [name for name in _ENVIRONMENT if f"`{name}`" not in page] == []


def test_no_variable_of_whoever_runs_the_tests_reaches_them(root):
    import os

    ours = {"FAS_CACHE_DIR", "FAS_DATA_DIR"}  # set by conftest, and where the data of the tests lie
    assert {name for name in read_in_code(root) if name in os.environ} <= ours

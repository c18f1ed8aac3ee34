"""The tables of patterns beside the modules that look for them."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import fas
from fas.text.reading.pattern_tables import Patterns

ROOT = Path(fas.__file__).parent


def list_tables() -> dict[str, Patterns]:
    """The tables of the readers, by module."""
    found = {}
    for package in ("fas.claims", "fas.text.reading", "fas.safety"):
        for one in pkgutil.iter_modules(importlib.import_module(package).__path__):
            if not one.ispkg:
                module = importlib.import_module(f"{package}.{one.name}")
                own = getattr(module, one.name.upper(), None)
                if isinstance(own, Patterns):
                    found[module.__name__] = own
    return found


TABLES = list_tables()


def table(tmp_path: Path, text: str, **given: str) -> Patterns:
    file = tmp_path / "words.tsv"
    file.write_text(text, encoding="utf-8")
    return Patterns(file, given)


@pytest.mark.parametrize("module", sorted(TABLES))
def test_every_row_is_found_in_its_example(module):
    own = TABLES[module]
    rows = [row for row in own.rows if not row.name.isupper()]
    missed = [row for row in rows if own.compiled([row]).search(row.example) is None]
    assert not missed
    for name in own.names:
        whole = getattr(own, name)
        assert all(whole.search(row.example) for row in rows if row.name == name)


def test_every_table_has_its_module_and_every_pattern_is_used():
    files = {
        path for folder in ("claims", "text/reading", "safety") for path in (ROOT / folder / "patterns").glob("*.tsv")
    }
    assert {path.stem for path in files} == {module.rpartition(".")[2] for module in TABLES}
    names = {(module, name) for module, own in TABLES.items() for name in own.names}
    assert names == {(module, name) for module, name in asked() if name != "part"}


def asked() -> Iterator[tuple[str, str]]:
    """Every pattern that the package asks a table for, by the table's module."""
    for path in ROOT.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = ".".join(("fas", *path.relative_to(ROOT).with_suffix("").parts))
        known = {own.rpartition(".")[2].upper(): own} if own in TABLES else {}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module in TABLES:
                name = node.module.rpartition(".")[2].upper()
                if any(one.name == name for one in node.names):
                    known[name] = node.module
        for node in ast.walk(tree):
            owner = getattr(node, "value", None)
            if isinstance(node, ast.Attribute) and isinstance(owner, ast.Name) and owner.id in known:
                yield known[owner.id], node.attr


def test_rows_of_a_name_are_alternatives_within_the_frame(tmp_path):
    own = table(tmp_path, "# comment\nsays:\t\\b(?:{})\\b\ti\nsays\ta\tA cat\n\nsays\tbe{2}\tBee\n")
    assert own.says.pattern == r"\b(?:a|be{2})\b"
    assert own.says.flags & re.IGNORECASE
    assert [row.line for row in own.rows] == [3, 5]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("says\ta\n", "words.tsv, line 1: an example is missing"),
        ("says\n", "expected a name, an expression and an example"),
        ("says\ta\tb\tc\n", "expected a name, an expression and an example"),
        ("says:\t(?:)\ti\nsays\ta\ta\n", "expected an expression with {}"),
        ("says:\t{}\tq\nsays\ta\ta\n", "flags of"),
        ("# \nsays\t(\t(\n", "words.tsv, line 2: says: "),
        ("rows\ta\ta\n", "rows is an attribute of every table"),
        ("says\t{WHO}\tx\n", "no part {WHO}"),
    ],
)
def test_an_error_about_a_malformed_line_names_its_place(tmp_path, text, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        table(tmp_path, text)

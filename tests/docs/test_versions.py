"""The page of versions against the code: every version is on it, with its value of today."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fas._version import __version__
from fas.models.paths import VERSIONS

# What a version is called in the code. A module that has one must be on the page.
NAMES = re.compile(r"_?(METHOD|FORMAT|VERSION|LADDER)")


def found_in(root: Path) -> dict[str, str]:
    """Module to the value of the version that it holds."""
    found = {}
    for path in sorted((root / "fas").rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name, value = node.targets[0].id, node.value
                # A ladder of steps is a tuple, and a name for a version that stands elsewhere is no constant.
                if NAMES.fullmatch(name) and isinstance(value, ast.Constant):
                    found[path.relative_to(root).as_posix()] = str(value.value)
    return found


@pytest.fixture(scope="module")
def rows(root: Path) -> list[tuple[str, str, str]]:
    """(what, version, where) of each row."""
    page = (root / "docs/versions.md").read_text(encoding="utf-8")
    return re.findall(r"^\| (?!What|---)([^|]+) \| `?([^|`]+)`? \| ([^|]+) \|", page, flags=re.MULTILINE)


def test_every_version_in_the_code_is_on_the_page_with_its_value(root: Path, rows: list[tuple[str, str, str]]) -> None:
    found = found_in(root)
    assert len(found) > 8
    shown = {where.strip("`"): version for _, version, where in rows}
    assert {path: shown.get(path) for path in found} == found


def test_the_versions_of_models_package_and_tables_are_those_of_today(
    root: Path, rows: list[tuple[str, str, str]]
) -> None:
    shown = {what: version for what, version, _ in rows}
    models = {name: version for what, version in shown.items() for name in VERSIONS if f"`{name}`" in what}
    assert models == VERSIONS
    assert shown["the package (`v` in the signature)"] == __version__
    assert shown["the rules of the safety tables"] == (root / "safety/rules/version.txt").read_text().strip()


def test_every_place_on_the_page_is_there(root: Path, rows: list[tuple[str, str, str]]) -> None:
    places = [place for _, _, where in rows for place in re.findall(r"`([^`]+)`", where)]
    assert len(places) > len(rows)
    assert [place for place in places if not (root / place).exists()] == []

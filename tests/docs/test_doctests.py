"""The examples in the docstrings, run."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((ROOT / "fas").rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_give_what_they_say(name):
    result = doctest.testmod(import_module(name))
    assert result.attempted > 0, "the examples are where doctest does not look"
    assert result.failed == 0


def test_there_are_examples():
    assert len(MODULES) > 20

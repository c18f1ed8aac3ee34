"""The page of simulated coverage, and the intervals in the stored tables of the repository."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "benchmarks").rglob("README.md"))
SHOWN = re.compile(r"([+−-]?\d+\.\d+)%? \[([+−-]?\d+\.\d+)%?(?:,| to|–) ?([+−-]?\d+\.\d+)%?\]")


@pytest.fixture(scope="module")
def coverage():
    return import_module("benchmarks.coverage.page")


def test_the_page_is_what_its_command_makes_of_the_stored_result(coverage):
    assert coverage.PAGE.read_text(encoding="utf-8") == coverage.page(*coverage.stored())


def test_no_simulated_interval_or_test_misses_its_target(coverage):
    for row in json.loads(coverage.STORED.read_text(encoding="utf-8")):
        assert row["coverage"] is None or row["coverage"] >= coverage.LEAST, row
        assert row["rejected"] is None or row["rejected"] <= coverage.MOST_REJECTED, row
        assert (row["contradict"], row["excludes_estimate"]) == (0, 0), row


def test_the_stored_simulation_is_that_of_the_code(coverage):
    simulation = import_module("benchmarks.coverage.simulate")
    row_of = import_module("benchmarks.coverage.__main__").row_of
    rows = json.loads(coverage.STORED.read_text(encoding="utf-8"))
    stored = {(row["figure"], row["data"], row["n"]): row for row in rows}
    for cell in simulation.labels():
        again = row_of(cell)
        assert again == stored[cell.figure, cell.data, cell.n]
        if cell.n >= 20:
            break


def stored() -> Iterator[Path]:
    for path in sorted((ROOT / "benchmarks").rglob("*.json")):
        if not {"tokenizer.json", "tokenizer_config.json", "config.json"} & {path.name}:
            yield path


# Lists of numbers that are no estimate with limits: the machine's load, and rows with a count before share and limits.
NO_INTERVALS = {"load", "load_all", "wall_s_all", "held out"}


def intervals(value: Any) -> Iterator[tuple[float, float, float]]:
    """Every estimate with its limits: `[value, low, high, n]`, or an object with `low` and `high`."""
    if isinstance(value, dict):
        at = next((value[name] for name in ("mean", "value", "rate", "difference") if name in value), None)
        if "low" in value and "high" in value and None not in (at, value["low"], value["high"]):
            yield at, value["low"], value["high"]
        for name, inner in value.items():
            if name not in NO_INTERVALS:
                yield from intervals(inner)
    elif isinstance(value, list):
        numbers = value[:3] if len(value) in (3, 4) and all(isinstance(part, int | float) for part in value[:3]) else []
        if any(isinstance(part, float) for part in numbers):  # whole numbers are counts
            yield tuple(numbers)
        for inner in value:
            yield from intervals(inner)


@pytest.mark.parametrize("path", stored(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_interval_of_a_stored_result_leaves_out_its_own_estimate(path):
    for value, low, high in intervals(json.loads(path.read_text(encoding="utf-8"))):
        assert low - 1e-9 <= value <= high + 1e-9, (value, low, high)


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks").rglob("*.md")), ids=lambda path: str(path.parent.name))
def test_no_interval_of_a_printed_table_leaves_out_its_own_estimate(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        for match in SHOWN.finditer(line):
            value, low, high = (float(text.replace("−", "-")) for text in match.groups())
            assert low <= value <= high, match.group(0)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.parent.name)
def test_no_page_of_today_prints_an_interval_without_width_for_a_share_of_0_or_1(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        if "always right" in line:
            continue  # a yardstick that finds everything by construction: no sample decides that
        # A width below the last printed digit is a width; a value of 0 or 1 with none is no certainty.
        for match in SHOWN.finditer(line):
            if match.group(1)[0] in "+-−":
                continue  # a difference: outputs that are equal differ by 0 in every sample
            value, low, high = (float(text) for text in match.groups())
            assert not (value == low == high and value in (0.0, 1.0)), match.group(0)

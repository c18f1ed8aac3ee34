"""The table of metrics beside people: draws, correlations against scipy, loaders on the sets, and the stored page."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from benchmarks.adjust.real import N_DRAWS
from benchmarks.adjust.real import page as adjusted_page
from benchmarks.people.material import Material, Unit, drawn
from benchmarks.people.sets import SETS
from benchmarks.people.tables import FEWEST_OFF, correlations, page

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "benchmarks" / "people"
DATA = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data")) / "eval"


def units(n, clusters):
    return [Unit(f"q{i % clusters}", str(i), {"good": float(i % 3)}) for i in range(n)]


def test_whole_questions_are_drawn_with_the_rows_that_they_need():
    material = Material({str(i): {"id": str(i)} for i in range(40)}, units(40, 10))
    found = drawn(material, 12, 1)
    assert len(found.units) == 12  # three questions of four
    assert {unit.plus for unit in found.units} == set(found.rows)
    assert drawn(material, 12, 1) == found
    assert len({unit.cluster for unit in drawn(material, 12, 1, most=1).units}) == 10  # no more than there are


def test_the_second_answer_of_a_pair_is_drawn_too():
    material = Material({name: {} for name in "abcd"}, [Unit("q", "a", {}, "b"), Unit("r", "c", {}, "d")])
    assert set(drawn(material, 1, 3).rows) in ({"a", "b"}, {"c", "d"})


def test_correlations_are_scipy_s_and_pairs_are_differences():
    rng = np.random.default_rng(0)
    values = {str(i): {"fas": float(x), "words": float(y)} for i, (x, y) in enumerate(rng.random((60, 2)))}
    gold = rng.random(30)
    pairs = [Unit(f"q{i}", str(i), {"better": float(gold[i])}, str(i + 30)) for i in range(30)]
    found = correlations(pairs, values)["better"]
    for name in ("fas", "words"):
        column = [values[str(i)][name] - values[str(i + 30)][name] for i in range(30)]
        own = found["metrics"][name]["spearman"]
        assert own["value"] == pytest.approx(spearmanr(column, gold).statistic)
        assert own["low"] < own["value"] < own["high"]
    assert found["n"] == found["n_clusters"] == 30
    less = found["metrics"]["fas"]["less"]["words"]
    both = [found["metrics"][name]["spearman"]["value"] for name in ("fas", "words")]
    assert less["difference"] == pytest.approx(both[0] - both[1])


def test_rows_that_failed_and_metrics_that_hardly_vary_are_left_out():
    values = {str(i): {"fas": float(i), "rougeL": float(i < FEWEST_OFF - 1)} for i in range(39)}
    found = correlations(units(40, 40), values)["good"]
    assert found["n"] == 39
    assert "rougeL" not in found["metrics"]


@pytest.fixture(scope="module")
def stored():
    return json.loads((HERE / "people.json").read_text(encoding="utf-8"))


def test_the_page_is_what_its_command_makes_of_the_stored_results(stored):
    assert list(stored) == [one.name for one in SETS]
    assert (HERE / "README.md").read_text(encoding="utf-8") == page(stored)


def test_no_row_of_the_stored_results_failed_and_every_correlation_lies_in_its_interval(stored):
    for one in stored.values():
        assert one["errors"] == 0
        for gold in one["gold"].values():
            for row in gold["metrics"].values():
                value, low, high = (row["spearman"][name] for name in ("value", "low", "high"))
                assert value is None or low is None or -1 <= low <= value <= high <= 1


@pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data")
@pytest.mark.parametrize("one", SETS, ids=lambda one: one.name)
def test_every_set_is_read_whole_and_has_what_the_stored_results_count(one, stored):
    found = one.read(DATA)
    assert len(found.units) == stored[one.name]["n_all"]
    for unit in found.units:
        assert unit.gold
        assert all(np.isfinite(value) for value in unit.gold.values())
        for name in filter(None, (unit.plus, unit.minus)):
            row = found.rows[name]
            assert row["prediction"].strip()
            assert row["references"]
            assert row["passages"]


@pytest.mark.skipif(not DATA.is_dir(), reason="no ../shared/data")
def test_gold_is_what_the_owners_files_say():
    by = {one.name: one.read(DATA) for one in SETS if one.name in ("kqa-statements", "facts", "nli4ct", "stance")}
    said = [unit.gold for unit in by["kqa-statements"].units]
    assert (sum(one["supports"] for one in said), sum(one["refutes not"] for one in said)) == (153, -12)  # SOURCE.md
    assert sum(unit.gold["supports"] for unit in by["nli4ct"].units) == 1841
    stance = [unit.gold for unit in by["stance"].units]
    assert [sum(one["supports"] == value for one in stance) for value in (1.0, 0.5)] == [696, 391]
    assert sum(one["refutes not"] == -1.0 for one in stance) == 161
    assert all(unit.gold["supported"] in (0.0, 1.0) for unit in by["facts"].units)


def test_the_page_of_corrected_figures_is_what_its_command_makes_and_the_intervals_hold():
    folder = ROOT / "benchmarks" / "adjust"
    made = json.loads((folder / "real.json").read_text(encoding="utf-8"))
    assert (folder / "README.md").read_text(encoding="utf-8") == adjusted_page(made)
    for one in made.values():
        for row in one["figures"].values():
            assert row["held"] >= 0.95 - 2 * (0.95 * 0.05 / N_DRAWS) ** 0.5
            assert abs(row["mean"] - row["true"]) < 0.02

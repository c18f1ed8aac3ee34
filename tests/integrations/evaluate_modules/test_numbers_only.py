"""Modules for trainers: numbers alone, NaN where nothing is scored; and no text in the place of a list."""

from __future__ import annotations

import math

import evaluate
import pytest

from fas import module_path

TWO = {"predictions": ["Honey is sweet.", "Rest."], "references": ["Honey is sweet.", "Rest helps."]}


@pytest.mark.parametrize("name", ["rouge", "bleu", "qa", "drug_safety"])
def test_numbers_alone_are_floats(name):
    module = evaluate.load(module_path(name))
    given = dict(TWO) if name != "drug_safety" else {"predictions": TWO["predictions"]}
    whole, found = module.compute(**given), module.compute(**given, numbers_only=True)
    assert all(type(value) is float for value in found.values())
    assert set(found) <= set(whole)
    assert all(found[key] == pytest.approx(whole[key]) for key in found)


@pytest.mark.parametrize("name", ["fas", "support_at_k", "contra_at_k"])
def test_where_nothing_is_scored_yet_the_number_is_nan_and_can_be_compared(name):
    found = evaluate.load(module_path(name)).compute(
        predictions=["", ""], references=["x", "y"], passages=[["A."], ["B."]], numbers_only=True
    )
    key = {"fas": "fas", "support_at_k": "support@5", "contra_at_k": "contra@5"}[name]
    assert math.isnan(found[key])
    assert all(type(value) is float for value in found.values())
    assert (found[key] > 0.5) is False  # what a trainer does with metric_for_best_model


@pytest.mark.parametrize(("name", "key"), [("citations", "citation_recall"), ("coverage", "coverage")])
def test_citations_and_coverage_give_numbers_alone_too(name, key):
    given = {"predictions": [""], "references": ["x"]} if name == "coverage" else {"predictions": [""]}
    found = evaluate.load(module_path(name)).compute(**given, passages=[["A."]], numbers_only=True)
    assert key in found
    assert all(type(value) is float for value in found.values())

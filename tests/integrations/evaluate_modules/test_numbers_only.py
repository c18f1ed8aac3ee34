"""`numbers_only=True`: plain numbers for trainers, NaN where nothing is scored."""

from __future__ import annotations

import math

import evaluate
import pytest

from fas import module_path

TWO = {"predictions": ["Honey is sweet.", "Rest."], "references": ["Honey is sweet.", "Rest helps."]}
EMPTY = {"predictions": ["", ""], "references": ["x", "y"], "passages": [["A."], ["B."]]}


@pytest.mark.parametrize("name", ["rouge", "bleu", "qa", "drug_safety"])
def test_numbers_alone_are_those_of_the_whole_result_as_floats(name):
    module = evaluate.load(module_path(name))
    given = {"predictions": TWO["predictions"]} if name == "drug_safety" else TWO
    whole, found = module.compute(**given), module.compute(**given, numbers_only=True)
    assert all(type(value) is float for value in found.values())
    assert all(found[key] == pytest.approx(whole[key]) for key in found)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("fas", "fas"),
        ("support_at_k", "support@5"),
        ("contra_at_k", "contra@5"),
        ("citations", "citation_recall"),
        ("coverage", "coverage"),
    ],
)
def test_a_number_of_nothing_scored_is_nan_and_can_be_compared(name, key):
    found = evaluate.load(module_path(name)).compute(**EMPTY, numbers_only=True)
    assert all(type(value) is float for value in found.values())
    assert math.isnan(found[key])
    assert (found[key] > 0.5) is False  # as a trainer compares metric_for_best_model

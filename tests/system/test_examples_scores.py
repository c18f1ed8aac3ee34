"""The scores of the examples are those that were stored: a change that is to move no score moves none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.examples.scores import FILES, STORED, as_text, processor, scores_of

AGAIN = "a score moved; if it was to move: python -m benchmarks.examples.scores"


def without_fractions(value: Any) -> Any:
    """*value* with every number that is no whole one rounded: another processor adds up in another order."""
    if isinstance(value, dict):
        return {key: without_fractions(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_fractions(item) for item in value]
    return pytest.approx(value, abs=1e-4) if isinstance(value, float) else value


@pytest.mark.timeout(1800)  # the longest test: a busy machine takes minutes
@pytest.mark.parametrize("name", [FILES[0], pytest.param(FILES[1], marks=pytest.mark.slow)])
def test_scores_are_those_stored_to_the_last_byte(name: str) -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    found = scores_of(name)
    if processor() == stored["processor"]:
        assert as_text(found) == as_text(stored[name]), AGAIN
    else:
        assert found == without_fractions(stored[name]), AGAIN


def test_the_stored_scores_are_of_every_answer_and_hold_every_number(root) -> None:
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    for name in FILES:
        lines = (root / "examples" / name).read_text(encoding="utf-8").splitlines()
        assert [answer["id"] for answer in stored[name]["answers"]] == [json.loads(line)["id"] for line in lines]
        assert {"fas", "support", "contra", "bertscore_f1", "claims", "flags"} <= stored[name]["answers"][0].keys()

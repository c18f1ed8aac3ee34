"""What the makers of training pairs have in common: a seed gives the same pairs, in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAKERS = (
    "comparisons.comparison_pairs",
    "negations.negation_pairs",
    "qualifiers.exchanged_pairs",
    "small_words.small_word_pairs",
    "enumerations.enumeration_pairs",
)
PRINTS = """
import importlib, sys
module, name = sys.argv[1].split(".")
print(getattr(importlib.import_module(f"benchmarks.embedded_models.nli.{module}"), name)(3000, seed=5))
"""


@pytest.mark.parametrize("maker", MAKERS)
def test_a_seed_gives_the_same_pairs_in_another_process(root: Path, maker):
    def printed(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        command = [sys.executable, "-c", PRINTS, maker]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, cwd=root).stdout

    # The order of a set of texts differs with the hash seed; what was drawn by it differed as well.
    assert printed("1") == printed("2") != ""


def test_pairs_made_before_and_those_that_repeat_their_premise_are_made_anew(nli_script):
    data = nli_script("data")
    one, two, same = data.Pair("a", "b", 0), data.Pair("a", "c", 2), data.Pair("a", "a", 0)
    drawn = iter([one, one, None, same, two])
    assert data.distinct_pairs(2, lambda: next(drawn)) == [one, two]
    assert next(drawn, "drawn to the end") == "drawn to the end"

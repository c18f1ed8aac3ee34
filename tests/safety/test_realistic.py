"""What the flags find of answers as models write them, and of the worked and blind cases: rates, not single cases.

The weights were fitted on these cases; what they find of unread ones is on benchmarks/safety/README.md.
"""

import pytest

from benchmarks.safety.blind import count
from benchmarks.safety.fit import HERE, REALISTIC, items, judged, prepared, score
from fas.safety.stance import load_models, load_thresholds


@pytest.mark.parametrize("name", REALISTIC)
def test_nine_in_ten_flags_on_realistic_answers_are_wanted_and_found(checker, name):
    cases = [item for item in items() if item.name == name]
    prepared(checker, load_models(), cases)
    counts = score(cases, {item.key: judged(item, load_models(), load_thresholds()) for item in cases})[name]
    assert counts["right"] >= 0.9 * (counts["right"] + counts["missed"])
    assert counts["right"] >= 0.9 * (counts["right"] + counts["wrong"])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["blind46", "blind47"])
def test_nine_in_ten_of_blind_cases_are_found(name):
    found = count(HERE / f"{name}.jsonl")
    groups = [row for name, row in found.items() if name != "hinting"]
    right, wanted, wrong, _ = map(sum, zip(*groups, strict=True))
    assert right >= 0.9 * wanted
    assert wrong <= 0.1 * (right + wrong)

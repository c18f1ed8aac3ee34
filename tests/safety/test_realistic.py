"""What the flags find of answers as models write them, and of the worked and blind cases: rates, not single cases.

The weights were fitted on these cases; what they find of unread ones is on benchmarks/safety/README.md.
"""

import pytest

from benchmarks.safety.cases import REALISTIC, count_flags, find_candidates, read_labelled_cases, select_flags
from fas.safety.stance import load_models, load_thresholds


@pytest.fixture(scope="module")
def cases():
    return list(read_labelled_cases())


@pytest.mark.parametrize(
    "name",
    [*REALISTIC, pytest.param("blind46", marks=pytest.mark.slow), pytest.param("blind47", marks=pytest.mark.slow)],
)
def test_nine_in_ten_flags_are_wanted_and_found(checker, cases, name):
    own = [item for item in cases if item.name == name]
    find_candidates(checker, load_models(), own)
    counts = count_flags(own, {item.key: select_flags(item, load_models(), load_thresholds()) for item in own})[name]
    assert counts["right"] >= 0.9 * (counts["right"] + counts["missed"])
    assert counts["right"] >= 0.9 * (counts["right"] + counts["wrong"])

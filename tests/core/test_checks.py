"""Numbers that must be whole are refused in one wording, wherever they are given."""

from __future__ import annotations

import pytest

from fas.core.checks import whole_number


@pytest.mark.parametrize("value", [0, -1, 1.0, "1", None, True, float("nan")])
def test_what_is_no_whole_number_of_at_least_one_is_refused(value):
    with pytest.raises(ValueError, match=r"^`n` must be a whole number of at least 1, got "):
        whole_number("n", value)


def test_whole_numbers_from_the_least_on_come_back():
    assert [whole_number("n", value, least=0) for value in (0, 1, 10**20)] == [0, 1, 10**20]

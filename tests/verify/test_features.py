"""Numbers of a text in one form."""

from __future__ import annotations

import pytest

from fas.verify.features import numbers_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,000 patients, 5.0 mg, 0.50", ["1000", "5", "0.5"]),
        ("between 10 and 20%", ["10", "20"]),
        ("1,234,567.80", ["1234567.8"]),
        ("100", ["100"]),
        ("1000", ["1000"]),
        ("B12 and H1N1", []),
        ("v1.2.3", []),
        ("no numbers", []),
        ("(3-5 days)", ["3", "5"]),
    ],
)
def test_numbers_are_compared_in_one_form(text, numbers):
    assert numbers_in(text) == numbers

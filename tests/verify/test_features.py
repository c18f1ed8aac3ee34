"""What the calibrated verdict looks at, computed by hand for small claims."""

from __future__ import annotations

import pytest

from fas.verify.features import FEATURES, WindowReading, features, numbers_in


def reading(text, cosine=0.5, entail=-1.0, neutral=-1.0, contradict=-1.0):
    return WindowReading(text, cosine, entail, neutral, contradict)


def named(claim, passage, readings):
    return dict(zip(FEATURES, features(claim, passage, readings), strict=True))


def test_every_feature_by_hand():
    claim = "Aspirin 100 mg reduces stroke in 40 patients"
    near = reading("Aspirin 100 mg did not reduce stroke.", 0.9, -2.0, -0.5, -1.5)
    far = reading("Bleeding rose.", 0.4, -0.1, -3.0, -4.0)
    found = named(claim, "Aspirin 100 mg did not reduce stroke. Bleeding rose. 40 patients were seen.", [near, far])
    # Content words of the claim: aspirin, 100, reduces, stroke, 40, patients (mg is too short, in a stop word).
    # The windows hold aspirin, 100, reduce, stroke: 4 of 6. The whole passage holds all 6.
    assert found == {
        "cosine": 0.9,
        "cosine_second": 0.4,
        "log_p_entail": -0.1,
        "log_p_contradict": -1.5,
        "log_p_neutral": -3.0,
        "margin_nearest": -0.5,
        "overlap": pytest.approx(4 / 6),
        "overlap_passage": 1.0,
        "number_missing": 0.5,  # 100 is there, 40 is not
        "number_present": 0.0,
        "negation_differs": 1.0,
        "direction_agrees": 1.0,  # reduces and reduce; that one is negated is another feature's business
        "direction_differs": 0.0,
        "margin_where_direction_agrees": -0.5,
    }


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

"""Which answers are in English, the only language that the embedded models read."""

from __future__ import annotations

import pytest

from fas.text.language import is_english


@pytest.mark.parametrize(
    "text",
    [
        "Zinc shortens colds by one day.",
        "Beta blockers lower blood pressure in adults. Η ασπιρίνη μειώνει τον πυρετό.",
        "Escherichia coli and Staphylococcus aureus.",
        "No.",
        "",
    ],
)
def test_english_and_what_is_too_short_to_tell_is_read(text):
    assert is_english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Zink verkürzt Erkältungen um einen Tag.",
        "Η ασπιρίνη μειώνει τον πυρετό στους ενήλικες.",
        "الزنك لا يقصر نزلات البرد.",
        "Zink verkürzt Erkältungen um einen ganzen Tag. Es hilft Kindern und Erwachsenen. It helps all adults.",
    ],
)
def test_an_answer_that_is_mostly_in_another_language_is_not_read(text):
    assert not is_english(text)

"""Which answers are in English, the only language that the embedded models read."""

from __future__ import annotations

import pytest

from fas.text.language import is_english, is_foreign, is_mixed


@pytest.mark.parametrize(
    "text",
    [
        "Zinc shortens colds by one day.",
        "Beta blockers lower blood pressure in adults. Η ασπιρίνη μειώνει τον πυρετό.",
        "👍 Zinc helps adults. Η ασπιρίνη μειώνει τον κίνδυνο εγκεφαλικού επεισοδίου στους ηλικιωμένους ασθενείς.",
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
def test_an_answer_with_fewer_english_sentences_than_others_is_not_read(text):
    assert not is_english(text)


def test_of_an_answer_in_two_languages_the_sentences_in_the_other_one_are_found():
    sentences = ["Zinc shortens colds.", "Yes.", "Zink hilft auch Kindern.", "Η ασπιρίνη μειώνει τον πυρετό."]
    assert [is_foreign(sentence) for sentence in sentences] == [False, False, True, True]


def test_of_an_english_answer_only_sentences_with_other_letters_are_asked():
    assert is_foreign("Η ασπιρίνη μειώνει τον πυρετό.", mixed=False)
    assert not is_foreign("Zink hilft auch Kindern.", mixed=False)


def test_random_letters_are_no_other_language():
    assert not is_mixed("aA0AA0AA")

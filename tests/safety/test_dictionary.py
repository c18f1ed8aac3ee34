"""Words of general English and others, judged by hand."""

import pytest

from fas.safety.dictionary import is_english


@pytest.mark.parametrize("word", ["taking", "unhappily", "stopped", "dizziness"])
def test_forms_of_english_words_are_known(word):
    assert is_english(word)


@pytest.mark.parametrize("word", ["ibutuporfini", "ermthomycin", "wirh"])
def test_other_words_are_not(word):
    assert not is_english(word)

"""Misspelt arguments of the public functions."""

from __future__ import annotations

import subprocess
import sys

import pytest

import fas
from fas.core.errors import ProfileError

ANSWERS = [{"prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}]


@pytest.mark.parametrize(
    ("call", "wrong", "meant"),
    [
        (lambda **more: fas.score(ANSWERS, **more), "profil", "profile"),
        (lambda **more: fas.score(ANSWERS, **more), "outputdir", "output_dir"),
        (lambda **more: fas.score(ANSWERS, **more), "treshold", "threshold"),
        (lambda **more: fas.Scorer(**more), "ofline", "offline"),
        (lambda **more: fas.verify_claim("Aspirin helps.", "It does.", **more), "qestion", "question"),
        (lambda **more: fas.extract_claims("Aspirin helps.", **more), "qestion", "question"),
        (lambda **more: fas.check_safety("Aspirin helps.", **more), "qestion", "question"),
        (lambda **more: fas.detect_answers(ANSWERS, **more), "minharm", "min_harm"),
    ],
)
def test_the_argument_or_setting_that_was_meant_is_named(call, wrong, meant):
    with pytest.raises((TypeError, ProfileError), match=f"no argument '{wrong}'; did you mean '{meant}'"):
        call(**{wrong: "x"})


def test_a_package_that_is_taken_for_a_function_is_answered_with_the_function():
    said = "import fas\ntry: fas.verify('Aspirin helps.', 'It does.')\nexcept AttributeError as error: print(error)"
    asked = [sys.executable, "-c", said]
    assert "fas.verify_claim" in subprocess.run(asked, capture_output=True, text=True, check=True).stdout


def test_a_word_like_no_argument_is_answered_with_all_of_them():
    with pytest.raises(TypeError, match="it takes text, question"):
        fas.check_safety("x", zzzzzz=1)

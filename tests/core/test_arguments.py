"""Misspelt arguments of the public functions."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from pathlib import Path

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
        (lambda **more: fas.combine([], **more), "min_similarty", "min_similarity"),
        (lambda **more: fas.revise([], out="x", generate="y", **more), "max_iteration", "max_iterations"),
        (lambda **more: fas.load_profile(**more), "sorce", "source"),
        (lambda **more: fas.open_run(**more), "foldr", "folder"),
        (lambda **more: fas.module_path(**more), "nam", "name"),
        (lambda **more: fas.Run(Path("x")).compare("y", **more), "metric", "metrics"),
        (lambda **more: fas.Run(Path("x")).compare("y", "z", **more), "clusterby", "cluster_by"),
        (lambda **more: fas.Run(Path("x")).correlate("y", **more), "againt", "against"),
        (lambda **more: fas.Run(Path("x")).adjust("y", **more), "n_resample", "n_resamples"),
        (lambda **more: fas.Run(Path("x")).align("y", **more), "n_resample", "n_resamples"),
        (lambda **more: fas.Run(Path("x")).factuality(**more), "entailement", "entailment"),
        (lambda **more: fas.Run(Path("x")).tables(**more), "sed", "seed"),
    ],
)
def test_the_argument_or_setting_that_was_meant_is_named(call, wrong, meant):
    with pytest.raises((TypeError, ProfileError), match=f"no argument '{wrong}'; did you mean '{meant}'"):
        call(**{wrong: "x"})


@pytest.mark.parametrize(
    ("call", "called"),
    [
        (lambda: fas.score(ANSWERS, treshold=1), "score()"),
        (lambda: fas.score(), "score()"),
        (lambda: fas.score_answers(ANSWERS, treshold=1), "score_answers()"),
        (lambda: fas.open_run(foldr="x"), "open_run()"),  # type: ignore[call-arg]
        (lambda: fas.Run(Path("x")).compare("y", metric=()), "Run.compare()"),
        (lambda: fas.Run(Path("x")).align(n_resample=1), "Run.align()"),
    ],
)
def test_a_message_names_the_function_that_was_called_and_not_the_one_behind_it(call, called):
    with pytest.raises((TypeError, ProfileError)) as caught:
        call()
    assert str(caught.value).startswith(f"{called} ")


def test_every_public_function_suggests_its_arguments_and_is_found_again_by_its_name():
    needed = {"revise": ("questions", "out", "generate")}
    for name in fas.__all__:
        function = getattr(fas, name)
        if inspect.isfunction(function) and inspect.signature(function).parameters:
            with pytest.raises((TypeError, ProfileError), match=rf"^{name}\(\) takes no argument 'zzzzzz'; it takes "):
                function(**dict.fromkeys(needed.get(name, ()), "x"), zzzzzz=1)
            assert pickle.loads(pickle.dumps(function)) is function


def test_the_function_for_one_claim_is_the_same_after_a_run_and_its_package_names_it():
    code = (
        "import fas\ntry: fas.verify('Aspirin helps.', 'It does.')\nexcept AttributeError as error: print(error)\n"
        "before = fas.verify_claim\nfas.score([{'prediction': 'x', 'passages': []}])\n"
        "assert before is fas.verify_claim\n"
        "print(before('Aspirin relieves pain.', 'Aspirin relieved pain.').label)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    refused, label = done.stdout.splitlines()
    assert "fas.verify_claim" in refused
    assert label == "supported"


def test_a_word_like_no_argument_is_answered_with_all_of_them():
    with pytest.raises(TypeError, match="it takes text, question"):
        fas.check_safety("x", zzzzzz=1)

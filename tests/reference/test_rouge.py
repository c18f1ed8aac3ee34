"""ROUGE against Google's rouge-score, brute force and hand computation."""

import random
import sys

import numpy as np
import pytest
from reference_texts import PIECES, plain
from rouge_score import rouge_scorer

from fas.reference.rouge import ROUGE_TYPES, Rouge
from fas.reference.tokenizers import load_tokenizer

TYPES = [*ROUGE_TYPES, "rouge3", "rouge4"]


class _Study:
    """The study's tokens in the shape rouge-score takes a tokenizer."""

    def tokenize(self, text):
        return load_tokenizer("ptb")(text)


def _pair(kind, types=TYPES):
    reference = rouge_scorer.RougeScorer(
        types, use_stemmer=kind == "stemmed", tokenizer=_Study() if kind == "ptb" else None
    )
    ours = Rouge(types, tokenizer="ptb" if kind == "ptb" else "rouge_score", use_stemmer=kind == "stemmed")
    return ours, reference


def _assert_equal(ours, reference, context):
    for name, score in reference.items():
        assert ours[name][:3] == tuple(score), (name, context)


@pytest.mark.parametrize("kind", ["rouge_score", "stemmed", "ptb"])
def test_scores_against_rouge_score_on_hostile_text(kind):
    ours, reference = _pair(kind)
    rng = random.Random(7)
    for _ in range(400):
        # Few different words over many lines make many equally long subsequences to choose from.
        words = [rng.choice(PIECES) for _ in range(rng.randint(1, 8))] + ["\n"]
        prediction, target = (" ".join(rng.choices(words, k=rng.randint(0, 30))) for _ in range(2))
        _assert_equal(ours.score(prediction, target), reference.score(target, prediction), (prediction, target))


@pytest.mark.parametrize("kind", ["rouge_score", "stemmed", "ptb"])
@pytest.mark.parametrize("text", ["", " ", "a", ".", "α", "\n\n", "one\n", "İstanbul"])
def test_scores_against_rouge_score_on_tiny_text(kind, text):
    ours, reference = _pair(kind)
    for other in ("", "a", "one two", text):
        _assert_equal(ours.score(text, other), reference.score(other, text), (text, other))


@pytest.mark.parametrize("kind", ["rouge_score", "ptb"])
def test_several_references_against_rouge_score(kind):
    ours, reference = _pair(kind)
    rng = random.Random(11)
    for _ in range(60):
        prediction, *targets = (plain(rng, rng.randint(1, 20)) for _ in range(4))
        best = ours.score(prediction, targets)
        _assert_equal(best, reference.score_multi(targets, prediction), targets)
        for name, score in best.items():
            alone = [ours.score(prediction, target)[name].f1 for target in targets]
            assert score.reference == int(np.argmax(alone))


def test_rouge_score_takes_the_place_of_a_package_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "rouge_score_rs", None)
    slow = Rouge(ROUGE_TYPES)
    monkeypatch.undo()
    rng = random.Random(13)
    for _ in range(20):
        pair = plain(rng, 30), plain(rng, 30)
        assert slow.score(*pair) == Rouge(ROUGE_TYPES).score(*pair)

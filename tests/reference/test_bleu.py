"""BLEU against nltk, sacrebleu, evaluate's formula and hand computation."""

import math
import random
import warnings

import pytest
from nltk.translate.bleu_score import SmoothingFunction
from nltk.translate.bleu_score import sentence_bleu as nltk_sentence
from reference_texts import hostile, plain
from sacrebleu.metrics import BLEU

from fas.reference.bleu import Bleu, add_counts, evaluate_corpus_bleu
from fas.reference.tokenizers import load_tokenizer

SMOOTH = SmoothingFunction()


def _nltk(prediction, references, method, tokenize=str.split):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return nltk_sentence(
                [tokenize(reference) for reference in references],
                tokenize(prediction),
                smoothing_function=getattr(SMOOTH, f"method{method}"),
            )
        except AssertionError:  # method 6 without a matching trigram
            return math.nan


def _same(a, b):
    return (math.isnan(a) and math.isnan(b)) or abs(a - b) < 1e-12


@pytest.mark.parametrize("method", range(8))
def test_sentence_scores_against_nltk(method):
    rng = random.Random(method)
    bleu = Bleu(tokenizer=str.split)
    for _ in range(500):
        letters = rng.choice(["ab", "abcd", "abcdefghij"])
        n_texts = rng.randint(2, 4)
        prediction, *references = (" ".join(rng.choices(letters, k=rng.randint(0, 12))) for _ in range(n_texts))
        joint = bleu.sentence(prediction, references, method=method, multi_reference="nltk").score
        assert _same(joint, _nltk(prediction, references, method)), (prediction, references)


@pytest.mark.parametrize("method", [1, 3, 4])
def test_sentence_scores_of_hostile_text_against_nltk(method):
    rng = random.Random(3)
    bleu, tokenize = Bleu(), load_tokenizer("treebank")
    for _ in range(150):
        prediction, reference = hostile(rng, rng.randint(0, 40)), hostile(rng, rng.randint(0, 40))
        found = bleu.sentence(prediction, reference, method=method).score
        assert _same(found, _nltk(prediction, [reference], method, tokenize)), (prediction, reference)


def test_the_best_reference_is_the_one_nltk_scores_highest_alone():
    rng = random.Random(5)
    bleu = Bleu(tokenizer=str.split)
    for _ in range(100):
        prediction, *references = (plain(rng, rng.randint(1, 25)) for _ in range(4))
        alone = [_nltk(prediction, [reference], 1) for reference in references]
        best = bleu.sentence(prediction, references)
        assert _same(best.score, max(alone))
        assert best.reference == alone.index(max(alone))
        mean = bleu.sentence(prediction, references, multi_reference="mean")
        assert _same(mean.score, sum(alone) / 3)
        assert mean.reference is None


def test_the_corpus_score_with_one_reference_against_sacrebleu():
    rng, tokenize = random.Random(8), load_tokenizer("13a")
    bleu = Bleu(tokenizer=lambda text: tokenize(text.rstrip()))  # sacrebleu drops white space at the end
    theirs = BLEU(smooth_method="none")
    words = ["a", "b", "c.", "d,e", "1.5", "x-y", "&amp;", "-\n"]
    for _ in range(60):
        some = words[: rng.randint(2, 8)]
        pairs = [[" ".join(rng.choices(some, k=rng.randint(0, 12))) for _ in range(2)] for _ in range(4)]
        found = evaluate_corpus_bleu(add_counts(bleu.count(*pair) for pair in pairs)).score
        expected = theirs.corpus_score([a for a, _ in pairs], [[b for _, b in pairs]]).score
        assert 100 * found == pytest.approx(expected, abs=1e-9)

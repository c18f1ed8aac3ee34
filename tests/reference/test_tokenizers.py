"""The tokenizers against the packages they follow."""

import random

import pytest
from nltk.tokenize.treebank import TreebankWordTokenizer
from reference_texts import PIECES, hostile, plain
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from fas.reference.tokenizers import GoogleTokens, load_tokenizer

TEXTS = [hostile(random.Random(seed), seed % 13) for seed in range(1200)]
TEXTS += [plain(random.Random(seed), 150) for seed in range(20)]
TEXTS += ["", " ", "\n", *PIECES]


def test_treebank_tokens_against_nltk():
    ours, reference = load_tokenizer("treebank"), TreebankWordTokenizer()
    for text in TEXTS:
        assert ours(text) == reference.tokenize(text), text


@pytest.mark.parametrize("use_stemmer", [False, True])
def test_google_tokens_against_rouge_score(use_stemmer):
    ours, reference = GoogleTokens(use_stemmer), DefaultTokenizer(use_stemmer)
    for text in TEXTS:
        if "\ud800" not in text:  # the package itself refuses a lone surrogate in no case, but six does in some
            assert ours(text) == reference.tokenize(text), text


def test_13a_tokens_against_sacrebleu():
    ours, reference = load_tokenizer("13a"), Tokenizer13a()
    for text in TEXTS:
        assert ours(text) == reference(text).split(), text


def test_a_rule_of_another_nltk_release_is_still_applied(monkeypatch):
    import re

    from fas.reference.tokenizers import Treebank

    rules = [*TreebankWordTokenizer.PUNCTUATION, (re.compile("≥"), " ≥ ")]
    monkeypatch.setattr(TreebankWordTokenizer, "PUNCTUATION", rules)
    assert Treebank()("age≥65") == ["age", "≥", "65"]

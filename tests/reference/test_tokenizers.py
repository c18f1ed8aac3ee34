"""The tokenizers against the packages they follow."""

import random

from nltk.stem.porter import PorterStemmer
from nltk.tokenize.treebank import TreebankWordTokenizer
from reference_texts import PIECES, hostile, plain
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from fas.reference.tokenizers import load_tokenizer

TEXTS = [hostile(random.Random(seed), seed % 13) for seed in range(1200)]
TEXTS += [plain(random.Random(seed), 150) for seed in range(20)]
TEXTS += ["", " ", "\n", *PIECES]


def test_treebank_tokens_against_nltk():
    ours, reference = load_tokenizer("treebank"), TreebankWordTokenizer()
    for text in TEXTS:
        assert ours(text) == reference.tokenize(text), text


def test_google_tokens_against_rouge_score():
    ours, reference = load_tokenizer("rouge_score"), DefaultTokenizer(False)
    for text in TEXTS:
        assert ours(text) == reference.tokenize(text), text


def test_13a_tokens_against_sacrebleu():
    ours, reference = load_tokenizer("13a"), Tokenizer13a()
    for text in TEXTS:
        assert ours(text) == reference(text).split(), text


def test_ptb_tokens_are_the_stems_the_study_took():
    ours, split, stem = load_tokenizer("ptb"), TreebankWordTokenizer(), PorterStemmer().stem
    for text in TEXTS:
        assert ours(text) == [stem(token) for token in split.tokenize(text.lower())], text

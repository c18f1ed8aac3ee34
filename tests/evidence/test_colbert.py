"""Late interaction. Oracle: the sum of largest products, token by token in loops, over the network run on one text."""

from __future__ import annotations

import pytest
import torch
from transformers import BertConfig, BertTokenizer

from fas.core.records import Passage
from fas.evidence.colbert import ColBERT
from fas.evidence.rerank import make_reranker
from fas.models.colbert import ColBERTNetwork

WORDS = "[PAD] [unused0] [unused1] [UNK] [CLS] [SEP] [MASK] aspirin thins blood honey soothes a cough , .".split()
QUERIES = ["aspirin thins blood", "honey soothes a cough , a cough"]
PASSAGES = [
    Passage("honey soothes a cough .", id="1"),
    Passage("aspirin thins , thins blood", id="2", title="aspirin"),
    Passage("cough", id="3"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("colbert") / "tiny"
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, dim=8
    )
    ColBERTNetwork(config).save_pretrained(path)
    BertTokenizer(vocab={word: i for i, word in enumerate(WORDS)}).save_pretrained(path)
    return path


def vectors(network, words, attended):
    ids = torch.tensor([[WORDS.index(word) for word in words]])
    mask = torch.tensor([[int(place < attended) for place in range(len(words))]])
    with torch.no_grad():
        states = network.linear(network.bert(ids, attention_mask=mask).last_hidden_state)[0]
    return [state / state.norm() for state in states]


def by_hand(network, query, passage):
    asked = ["[CLS]", "[unused0]", *query.split(), "[SEP]"]
    text = f"{passage.title} {passage.text}" if passage.title else passage.text
    read = ["[CLS]", "[unused1]", *text.split(), "[SEP]"]
    questions = vectors(network, asked + ["[MASK]"] * (32 - len(asked)), len(asked))
    tokens = [v for word, v in zip(read, vectors(network, read, len(read)), strict=True) if word not in ",."]
    return sum(max(float(one @ other) for other in tokens) for one in questions)


def test_scores_are_the_sums_of_largest_products_of_tokens(folder):
    network = ColBERTNetwork.from_pretrained(folder).eval()
    found = ColBERT(str(folder), device="cpu").scores(QUERIES, [PASSAGES, PASSAGES[:2]], [])
    for query, passages, scores in zip(QUERIES, (PASSAGES, PASSAGES[:2]), found, strict=True):
        assert scores == pytest.approx([by_hand(network, query, one) for one in passages], abs=1e-4)


def test_the_reranker_is_made_by_name_and_named_in_the_signature(folder):
    assert make_reranker(f"colbert:{folder}").signature.startswith("colbert.tiny@")
    with pytest.raises(ValueError, match="colbert:NAME"):
        make_reranker("colbert:")


def test_nothing_found_has_no_scores(folder):
    assert [len(one) for one in ColBERT(str(folder)).scores(["aspirin"], [[]], [])] == [0]

"""The larger model that teaches the verifier, with a tiny one in its place."""

from __future__ import annotations

import random

import pytest
import torch

WORDS = "the a drug patient fever lowered raised was did not".split()


@pytest.fixture(scope="module")
def teacher(nli_script):
    return nli_script("train_teacher")


@pytest.fixture(scope="module")
def trunk(tmp_path_factory):
    """A random encoder of three layers, with a tokenizer whose padding is not 0 and that knows no token types."""
    from transformers import MPNetConfig, MPNetModel, MPNetTokenizer

    folder = tmp_path_factory.mktemp("trunk")
    entries = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "[UNK]", *WORDS]
    tokenizer = MPNetTokenizer(vocab={entry: i for i, entry in enumerate(entries)})
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    size = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 32}
    MPNetModel(MPNetConfig(vocab_size=len(tokenizer), max_position_embeddings=66, **size)).save_pretrained(folder)
    return folder


def test_embeddings_and_the_first_layers_stay_as_they_are(teacher, trunk, nli_script):
    train = nli_script("train")
    model = teacher.teacher_model(trunk, 1, "cpu")
    optimizer = train.adam(model, 1e-2)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    batch = (
        {"input_ids": torch.tensor([[0, 7, 2, 2, 8, 2]]), "attention_mask": torch.ones(1, 6, dtype=torch.long)},
        torch.tensor([[0.0, 0.0, 1.0, 0.0]]),
        torch.tensor([1.0]),
    )
    train.update(model, optimizer, batch, rate=1e-2, device="cpu")
    moved = {name for name, value in model.state_dict().items() if not torch.equal(value, before[name])}
    frozen = ("mpnet.embeddings.", "mpnet.encoder.layer.0.", "mpnet.encoder.relative_attention_bias.")
    assert moved
    assert not any(name.startswith(frozen) for name in moved)
    assert {name.split(".")[3] for name in moved if ".layer." in name} == {"1", "2"}


def test_batches_are_filled_up_with_the_padding_of_the_tokenizer(teacher, trunk, nli_script):
    from transformers import AutoTokenizer

    pair = nli_script("data").Pair
    pairs = [pair("the drug", "a fever", 0), pair("the patient did not", "the drug lowered the fever", 2, 0.5)]
    tokenizer = AutoTokenizer.from_pretrained(trunk)
    (batch,) = teacher.batches(pairs, tokenizer, max_tokens=100, max_length=30, rng=random.Random(1))
    features, targets, weights = batch
    assert set(features) == {"input_ids", "attention_mask"}
    short = targets.argmax(dim=1).tolist().index(0)
    # <s> 2 words </s> </s> 2 words </s>, beside <s> 4 words </s> </s> 5 words </s>
    assert features["attention_mask"].sum(dim=1)[short] == 8
    assert features["input_ids"].shape == (2, 13)
    assert features["input_ids"][short, 8:].tolist() == [tokenizer.pad_token_id] * 5 != [0] * 5
    assert weights[1 - short] == 0.5


def test_an_epoch_holds_multinli_whole_and_a_tenth_of_fact_checking(teacher, shared_data):
    data = shared_data / "train"
    pairs = teacher.teacher_pairs(data, seed=1, n=40_000)
    assert len(pairs) == 40_000 == len(set(pairs))
    multi = set(teacher.load(data, teacher.MULTINLI, seed=1))
    checked = set(teacher.load(data, teacher.FACTCHECK, seed=1))
    assert multi <= set(pairs)
    assert len(multi) > 25_000
    # A pair may be in a general and in a fact-checking set.
    assert 4000 <= len(checked & set(pairs)) < 4100

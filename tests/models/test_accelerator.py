"""Batches for an accelerator, on the processor: the same rows, within the budget, and nothing waited for too early."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch
import transformers as t

from fas.models import accelerator
from fas.models.accelerator import batch_tokens, stream
from fas.models.nli import NliModel
from fas.models.paths import model_folder

SIZES = {"vocab_size": 30522, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small random classifier."""
    place = str(tmp_path_factory.mktemp("model"))
    torch.manual_seed(0)
    names = {"id2label": dict(enumerate(("entailment", "neutral", "contradiction"))), "num_labels": 3}
    config = t.BertConfig(**SIZES, intermediate_size=64, initializer_range=0.2, **names)
    t.BertForSequenceClassification(config).save_pretrained(place)
    t.AutoTokenizer.from_pretrained(model_folder("fas-nli-mini")).save_pretrained(place)
    return place


pytestmark = pytest.mark.usefixtures("fresh_cache")


def some_texts(n, most=60):
    rng = random.Random(n)
    words = "aspirin lowers the risk of stroke in adults".split()
    return [" ".join(rng.choices(words, k=rng.randint(1, most))) for _ in range(n)]


def test_streamed_logits_are_those_of_pairs_computed_one_by_one_and_no_batch_is_over_the_budget(folder):
    plain = NliModel(folder, precision="fp32")
    streamed = NliModel(folder, precision="fp32", stream=True)
    streamed._tokens = 600
    shapes, forward = [], streamed._forward

    def noted(features):
        shapes.append(tuple(features["input_ids"].shape))
        return forward(features)

    streamed._forward = noted
    pairs = [*zip(some_texts(80), some_texts(80, 9)[::-1], strict=True), ("It rains.", "rain " * 600)]
    found = streamed.logits(pairs)
    expected = np.concatenate([plain.logits([pair]) for pair in pairs])
    np.testing.assert_allclose(found, expected, atol=1e-5, equal_nan=True)
    assert np.nanstd(expected, axis=0).min() > 0.01  # so that a row in another's place would be seen
    assert np.isnan(found[-1]).all()  # the claim that leaves no room
    # A row may be 15 tokens wider than its longest text.
    assert all(rows * (width - 15) <= 600 for rows, width in shapes)
    assert len(shapes) < 30
    assert streamed.logits([]).shape == (0, 3)


def rates(monkeypatch, seconds):
    """Every batch takes as long as *seconds* says of its tokens; returns what was tried."""
    tried = []

    def taken(forward, features, device):
        tried.append(features["input_ids"].numel())
        return seconds(tried[-1])

    monkeypatch.setattr(accelerator, "_time_forward", taken)
    return tried


def test_the_budget_is_measured_once_a_model_and_format(monkeypatch):
    tried = rates(monkeypatch, lambda tokens: 0.1)  # gains with every doubling
    assert batch_tokens(None, ["input_ids"], device="cpu", key="a model|bf16") == 1 << 18
    n = len(tried)
    assert batch_tokens(None, ["input_ids"], device="cpu", key="a model|bf16") == 1 << 18
    assert len(tried) == n
    batch_tokens(None, ["input_ids"], device="cpu", key="a model|fp32")
    assert len(tried) == 2 * n


def test_a_real_model_is_measured(folder):
    model = NliModel(folder, precision="fp32", stream=True)
    model.logits([("It rains.", "It is wet.")])
    assert model._tokens in {1 << power for power in range(12, 19)}


def test_a_batch_without_room_is_computed_in_halves_and_one_text_without_room_is_an_error():
    sizes = []

    def forward(features):
        ids = features["input_ids"]
        sizes.append(len(ids))
        if len(ids) > 3 or (ids == 13).any():
            raise torch.OutOfMemoryError("CUDA out of memory")
        return ids.float()

    rows = torch.arange(10)[:, None]
    assert stream(forward, [{"input_ids": rows}], "cpu").tolist() == rows.tolist()
    assert sizes == [10, 5, 2, 3, 5, 2, 3]
    with pytest.raises(torch.OutOfMemoryError):
        stream(forward, [{"input_ids": rows + 10}], "cpu")


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_a_mask_in_the_shape_of_the_attention_gives_the_same_logits(family):
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40}
    config = {"bert": t.BertConfig, "roberta": t.RobertaConfig}[family](vocab_size=50, num_labels=3, **sizes)
    torch.manual_seed(1)
    model = t.AutoModelForSequenceClassification.from_config(config).eval()
    mask = (torch.arange(9)[None] < torch.tensor([9, 5, 2])[:, None]).long()
    ids = torch.randint(2, 50, (3, 9)) * mask + (1 - mask) * config.pad_token_id
    with torch.inference_mode():
        expected = model(input_ids=ids, attention_mask=mask).logits
        # What is done for a model on an accelerator, and not for one on a processor.
        assert accelerator.choose_silently(model, {"attention_mask": mask})["attention_mask"] is mask
        found = model(input_ids=ids, attention_mask=mask[:, None, None, :].bool()).logits
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)

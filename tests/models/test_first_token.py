"""The last layer for the first token alone gives the logits of the whole layer."""

from __future__ import annotations

import copy

import pytest
import torch
from transformers import BertConfig, BertForSequenceClassification, MPNetConfig, MPNetForSequenceClassification

from fas.models.first_token import read_first_token_only

SIZE = {"hidden_size": 24, "num_attention_heads": 3, "intermediate_size": 40, "vocab_size": 50}


def classifier(layers=3, attention="sdpa", **options):
    torch.manual_seed(layers)
    config = BertConfig(num_hidden_layers=layers, num_labels=3, attn_implementation=attention, **SIZE, **options)
    return BertForSequenceClassification(config).eval()


def texts():
    """Four texts of different lengths, padded."""
    torch.manual_seed(7)
    lengths = torch.tensor([9, 5, 2, 9])
    mask = (torch.arange(9)[None] < lengths[:, None]).long()
    return torch.randint(1, 50, (4, 9)) * mask, mask


@torch.inference_mode()
def logits(model, *, mask=True):
    ids, attention = texts()
    return model(input_ids=ids, attention_mask=attention if mask else None).logits


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("mask", [True, False])
def test_logits_are_those_of_the_whole_model(attention, layers, mask):
    whole = classifier(layers, attention)
    short = copy.deepcopy(whole)
    assert read_first_token_only(short)
    torch.testing.assert_close(logits(short, mask=mask), logits(whole, mask=mask), rtol=0, atol=1e-6)


@pytest.mark.parametrize("layers", [1, 3])
def test_an_mpnet_classifier_gives_the_same_logits_and_gradients(layers):
    torch.manual_seed(layers)
    whole = MPNetForSequenceClassification(
        MPNetConfig(
            num_hidden_layers=layers, num_labels=3, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **SIZE
        )
    )
    torch.nn.init.normal_(whole.mpnet.encoder.relative_attention_bias.weight)
    torch.nn.init.normal_(whole.classifier.out_proj.weight)
    short = copy.deepcopy(whole)
    assert read_first_token_only(short)
    assert short.state_dict().keys() == whole.state_dict().keys()
    torch.testing.assert_close(logits(short), logits(whole), rtol=0, atol=1e-6)
    ids, mask = texts()
    for model in (whole, short):
        model(input_ids=ids, attention_mask=mask).logits.square().sum().backward()
    gradients = dict(short.named_parameters())
    for name, parameter in whole.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(gradients[name].grad, parameter.grad, rtol=1e-4, atol=1e-5)

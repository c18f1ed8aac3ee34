"""A teacher asked in 8-bit integers."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
import torch

pytestmark = pytest.mark.skipif(
    shutil.which(os.environ.get("CXX", "g++")) is None, reason="torch.compile needs a C++ compiler"
)


@pytest.fixture(scope="module")
def int8(nli_script):
    return nli_script("int8")


def test_a_layer_in_8_bits_gives_the_products_of_the_rounded_weights_and_states(int8):
    torch.manual_seed(3)
    linear = torch.nn.Linear(48, 20)
    states = torch.randn(2, 5, 48) * torch.logspace(-2, 2, 5)[:, None]
    found = int8.Int8Linear(linear)(states).detach().numpy()

    def rounded(rows: np.ndarray) -> np.ndarray:
        scale = np.abs(rows).max(axis=-1, keepdims=True) / 127
        return np.rint(rows / scale) * scale

    weight, bias = linear.weight.detach().numpy(), linear.bias.detach().numpy()
    expected = rounded(states.numpy()) @ rounded(weight).T + bias
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-4)
    exact = linear(states).detach().numpy() - bias
    # Every token has its own scale, so the small ones are as exact as the large ones.
    off = np.abs(found - bias - exact).max(axis=(0, 2)) / np.abs(exact).max(axis=(0, 2))
    assert off.max() < 0.03


def test_every_layer_but_the_last_is_replaced_and_a_layer_without_bias_too(int8):
    model = torch.nn.Sequential(
        torch.nn.Linear(8, 8),
        torch.nn.Sequential(torch.nn.Linear(8, 16, bias=False), torch.nn.GELU()),
        torch.nn.Linear(16, 3),
    )
    torch.manual_seed(1)
    states = torch.randn(6, 8)
    before = model(states)
    assert int8.in_int8(model) is model
    assert [type(module).__name__ for module in (model[0], model[1][0], model[2])] == [
        "Int8Linear",
        "Int8Linear",
        "Linear",
    ]
    assert torch.allclose(model(states), before, atol=0.05)


def test_the_verifier_says_much_the_same_in_8_bits(int8):
    from fas.models.nli import NliModel, load_classifier
    from fas.models.paths import resolve_model

    pairs = [
        ("The drug lowered blood pressure.", "The drug did not lower blood pressure."),
        ("All of the children were vaccinated.", "The children were vaccinated."),
        ("The study enrolled 200 adults.", "The study was paid for by a bank."),
    ]
    judge = NliModel("fas-nli-mini", max_length=64, precision="fp32")
    before = torch.tensor(judge.logits(pairs)).softmax(-1)
    judge.model = int8.in_int8(load_classifier(resolve_model("fas-nli-mini")[0], torch.float32).eval())
    after = torch.tensor(judge.logits(pairs)).softmax(-1)
    assert before.argmax(-1).tolist() == after.argmax(-1).tolist()
    assert torch.allclose(before, after, atol=0.08)
    assert not torch.equal(before, after)

"""The loop that all of the verifier's training scripts share, with a model of one layer."""

from __future__ import annotations

import argparse
import json
import math
from types import SimpleNamespace

import pytest
import torch


@pytest.fixture(scope="module")
def train(nli_script):
    return nli_script("train")


class Tiny(torch.nn.Module):
    """Logits of three classes from two numbers."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(2)
        self.layer = torch.nn.Linear(2, 3)

    def forward(self, input_ids):
        return SimpleNamespace(logits=self.layer(input_ids))


TAUGHT = (0.5, 0.3, 0.2)


@pytest.mark.parametrize(
    ("label", "taught", "expected"),
    [
        (1, None, [0, 1, 0, 0]),
        (3, None, [0, 0, 0, 1]),
        (-1, TAUGHT, [0.5, 0.3, 0.2, 0]),
        # 0.6 of (0.5, 0.3, 0.2), and 0.4 on the label
        (0, TAUGHT, [0.7, 0.18, 0.12, 0]),
        (2, TAUGHT, [0.3, 0.18, 0.52, 0]),
        (3, TAUGHT, [0.3, 0.18, 0.12, 0.4]),
    ],
)
def test_a_label_and_what_a_teacher_says_are_weighed(train, label, taught, expected):
    found = train.target(train.Pair("a", "b", label, taught=taught), 0.6)
    assert found == pytest.approx(expected)


def test_a_pair_with_neither_label_nor_teacher_is_refused(train):
    with pytest.raises(ValueError, match="neither a label nor"):
        train.target(train.Pair("a", "b", -1), 0.6)


def test_the_loss_of_a_two_way_label_is_that_of_either_class(train):
    logits = torch.tensor([[0.2, 0.5, 0.3], [0.2, 0.5, 0.3], [0.2, 0.5, 0.3]]).log()
    targets = torch.tensor([[0, 0, 0, 1.0], [0, 1.0, 0, 0], [0.3, 0.18, 0.12, 0.4]])
    alone = [train.marginal_loss(logits[i : i + 1], targets[i : i + 1], torch.ones(1)).item() for i in range(3)]
    mixed = -(0.3 * math.log(0.2) + 0.18 * math.log(0.5) + 0.12 * math.log(0.3) + 0.4 * math.log(0.8))
    assert alone == pytest.approx([-math.log(0.8), -math.log(0.5), mixed])
    weights = torch.tensor([1.0, 0.5, 2.0])
    together = train.marginal_loss(logits, targets, weights).item()
    assert together == pytest.approx((alone[0] + 0.5 * alone[1] + 2 * alone[2]) / 3.5)


def fitted(train, out, steps, *, model=None, per_epoch=3):
    """The model after *steps*, and the steps at which an epoch began."""
    begun = []

    def epoch(step, rng):
        begun.append(step)
        for _ in range(per_epoch):
            label = rng.randrange(3)
            yield {"input_ids": torch.eye(3)[[label], :2] * 2}, torch.eye(4)[[label]], torch.ones(1)

    model = model or Tiny()
    options = argparse.Namespace(steps=steps, peak_lr=0.05, seed=1, device="cpu")
    train.fit(model, epoch, out, options)
    return model, begun


def test_epochs_follow_one_another_until_the_steps_are_done_and_the_classes_are_learned(train, tmp_path, capsys):
    model, begun = fitted(train, tmp_path, 200)
    assert begun == list(range(0, 200, 3))
    said = model(torch.eye(3)[:, :2] * 2).logits.argmax(dim=-1)
    assert said.tolist() == [0, 1, 2]
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["step"] for line in lines] == list(range(25, 201, 25))
    assert lines[-1]["loss"] < lines[0]["loss"]


def test_a_run_goes_on_from_its_checkpoint_and_one_that_is_done_is_not_done_again(train, tmp_path):
    first, _ = fitted(train, tmp_path, 4)
    again, begun = fitted(train, tmp_path, 4)
    assert begun == []
    assert torch.equal(again.layer.weight, first.layer.weight)
    longer, begun = fitted(train, tmp_path, 9)
    assert begun == [4, 7]
    assert not torch.equal(longer.layer.weight, first.layer.weight)


def test_training_goes_on_with_the_weights_and_the_optimizer_of_the_last_checkpoint(train, tmp_path):
    def begun():
        torch.manual_seed(1)
        model = torch.nn.Linear(2, 2)
        return model, torch.optim.AdamW(model.parameters())

    def step(model, optimizer):
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        optimizer.zero_grad()

    model, optimizer = begun()
    step(model, optimizer)
    train.save(tmp_path / "checkpoint.pt", model, optimizer, 1)
    step(model, optimizer)
    again, its_optimizer = begun()
    assert train.resume(tmp_path / "none.pt", again, its_optimizer) == 0
    assert train.resume(tmp_path / "checkpoint.pt", again, its_optimizer) == 1
    step(again, its_optimizer)
    assert all(torch.equal(a, b) for a, b in zip(again.parameters(), model.parameters(), strict=True))

"""The recipe of the verifier's models: targets, the loop, stages that resume, and a toy that is made twice."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from transformers import MPNetConfig, MPNetModel, MPNetTokenizer

from fas.models.trunks import file_sha256


@pytest.fixture(scope="module")
def train(nli_script):
    return nli_script("fitting")


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


def epochs(per_epoch=3):
    """Epochs whose batches depend on the step they begin at alone; and the steps asked for."""
    begun = []

    def epoch(step):
        begun.append(step)
        rng = random.Random(step)
        for _ in range(per_epoch):
            label = rng.randrange(3)
            yield {"input_ids": torch.eye(3)[[label], :2] * 2}, torch.eye(4)[[label]], torch.ones(1)

    return epoch, begun


def run_of(train, folder, steps, *, until=None, every=2):
    folder.mkdir(exist_ok=True)
    epoch, begun = epochs()
    run = train.Run(Tiny(), folder, rate=0.05)
    run.go(until or steps, epoch, lambda step: train.held(step, 2), every)
    return run.model, begun


def test_epochs_follow_one_another_and_the_classes_are_learned(train, tmp_path):
    model, begun = run_of(train, tmp_path, 200)
    assert begun == list(range(0, 200, 3))
    assert model(torch.eye(3)[:, :2] * 2).logits.argmax(dim=-1).tolist() == [0, 1, 2]
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["step"] == 200
    assert lines[-1]["loss"] < lines[0]["loss"]


@pytest.mark.parametrize("stop", [2, 4, 5, 6])
def test_a_run_that_was_interrupted_is_the_run_it_would_have_been(train, tmp_path, stop):
    whole, _ = run_of(train, tmp_path / "whole", 10)
    run_of(train, tmp_path / "cut", 10, until=stop)
    gone_on, begun = run_of(train, tmp_path / "cut", 10)
    assert begun[0] == stop - stop % 3 or stop % 3 == 0
    assert torch.equal(gone_on.layer.weight, whole.layer.weight)


def test_a_run_that_is_done_is_not_done_again(train, tmp_path):
    first, _ = run_of(train, tmp_path, 4)
    again, begun = run_of(train, tmp_path, 4)
    assert begun in ([], [3])  # the epoch it stands in may be opened; no step is made
    assert torch.equal(again.layer.weight, first.layer.weight)


def test_the_rate_rises_stays_and_falls_to_zero(train):
    assert [train.held(step, 4) for step in range(6)] == [0.25, 0.5, 0.75, 1, 1, 1]
    assert [train.falling(step, 10, 14) for step in (10, 12, 13, 14)] == [1, 0.5, 0.25, 0]


TOY = """
name = "toy"
seed = 7
[trunk]
name = "tiny"
sha256 = "{sha256}"
frozen = 1
[training]
reads_out = true
rate = 1e-3
warm_up = 4
tokens_a_batch = 2000
checkpoint_every = 5
[hold]
steps = 12
longest = 300
characters = 400
[decay]
steps = 8
longest = 300
characters = 400
[mixture]
negations = [60, 40]
exchanged = [60, 40]
comparisons = [60, 0]
"""


@pytest.fixture(scope="module")
def toy(nli_script, tmp_path_factory):
    """A recipe of twenty steps over a random trunk, and a maker of its stages in a folder."""
    recipe, stages = nli_script("recipe"), nli_script("stages")
    place = tmp_path_factory.mktemp("toy")
    words = "the of in with and was not is are no a by does did reduced effective used for to it patients".split()
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    entries = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *words, *letters]
    entries += [*(f"##{x}" for x in letters), *"0123456789.,%-()"]
    vocabulary = {entry: i for i, entry in enumerate(dict.fromkeys(entries))}
    MPNetTokenizer(vocab=vocabulary).save_pretrained(place / "tiny")
    torch.manual_seed(1)
    size = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = MPNetConfig(vocab_size=len(vocabulary), max_position_embeddings=310, **size)
    MPNetModel(config).save_pretrained(place / "tiny")
    (place / "toy.toml").write_text(TOY.format(sha256=file_sha256(place / "tiny/model.safetensors")))

    def made(name, text=None):
        if text is not None:
            (place / "other.toml").write_text(text)
        own = recipe.Recipe.read(place / ("toy.toml" if text is None else "other.toml"))
        return stages.Stages(own, place / "no-data", place / "tiny", place / name)

    made.text = (place / "toy.toml").read_text()
    return made


@pytest.fixture(scope="module")
def first(toy):
    stages = toy("first")
    stages.train()
    stages.settle()
    stages.export()
    return stages


def test_a_toy_recipe_made_twice_gives_the_same_folders_and_the_same_weights(toy, first):
    again = toy("second")
    again.train()
    again.settle()
    again.export()
    assert [again.pairs.name, again.hold.name, again.decay.name, again.model.name] == [
        *(first.pairs.name, first.hold.name, first.decay.name, first.model.name)
    ]
    files = [file_sha256(stages.model / "difference.safetensors") for stages in (first, again)]
    assert files[0] == files[1]


def test_what_is_finished_is_not_made_again(toy, first):
    before = {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()}
    stages = toy("first")
    stages.train()
    stages.settle()
    stages.export()
    after = {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()}
    assert {path.name for path in after if before.get(path) != after[path]} <= {"log.jsonl"}


def test_another_recipe_has_other_folders_from_the_stage_on_that_it_changes(toy, first):
    longer = toy("first", toy.text.replace("steps = 12", "steps = 16"))
    assert longer.hold == first.hold, "a longer first stage goes through the same weights"
    assert longer.decay != first.decay
    seeded = toy("first", toy.text.replace("seed = 7", "seed = 8"))
    assert seeded.pairs != first.pairs
    assert seeded.hold != first.hold


def test_a_pair_whose_claim_leaves_no_room_for_a_passage_is_left_out_and_the_others_are_read(train, toy):
    fits, long = train.Pair("it is", "it was", 0), train.Pair("a", "no " * 60, 1)
    tokenizer = toy("unused").tokenizer
    options = {"max_tokens": 100, "longest": 40, "rng": random.Random(1), "reads_out": False}
    with pytest.raises(Exception, match="too short"):
        tokenizer(long.premise, long.hypothesis, truncation="only_first", max_length=40)
    read = list(train.batches([long, fits, long, fits], tokenizer, **options))
    assert sum(len(targets) for _, targets, _ in read) == 2
    assert all(targets[:, 0].eq(1).all() for _, targets, _ in read)


def test_the_difference_is_the_trained_model(first, toy, train, nli_script):
    from fas.models.difference import under, unpack

    trunk = load_file(first.trunk / "model.safetensors")
    model = first.classifier()
    old = under(model, trunk)
    back = unpack(load_file(first.model / "difference.safetensors"), old)
    weights = torch.load(first.decay / "last.pt", weights_only=True)["weights"]
    assert back.keys() == weights.keys()
    assert not any("embeddings" in name or "layer.0." in name for name in back)
    for name, value in weights.items():
        moved = (value - old[name]).norm() if name in old else value.norm()
        assert (back[name] - value).norm() <= 0.15 * moved + 1e-6, name


def test_a_trunk_that_is_not_the_recipes_is_refused(toy):
    with pytest.raises(ValueError, match="the recipe wants"):
        toy("first", toy.text.replace(toy.text.split('sha256 = "')[1][:8], "00000000"))


def test_a_recipe_without_a_part_is_refused(nli_script, tmp_path):
    (tmp_path / "x.toml").write_text('name = "x"\n')
    with pytest.raises(ValueError, match="no decay, hold, mixture"):
        nli_script("recipe").Recipe.read(tmp_path / "x.toml")


def test_a_set_that_there_is_not_is_told(nli_script):
    with pytest.raises(ValueError, match="no set or maker moon"):
        nli_script("mixture").epoch_pairs(Path(), {"moon": 3}, seed=1, characters=100)


def test_what_a_teacher_said_is_found_by_the_pair(nli_script, tmp_path):
    taught, pair = nli_script("taught"), nli_script("data").Pair
    known, other = pair("The dose was 3 mg.", "The dose was 4 mg.", 2), pair("a", "b", 1)
    key = np.array([taught.key(known)], dtype=np.uint64)
    np.savez(tmp_path / "judged.npz", key=key, said=np.array([[26, 179]], dtype=np.uint8))
    judged = taught.read_judged(tmp_path / "judged.npz")
    assert taught.with_judged(known, judged).taught == pytest.approx((26 / 255, 50 / 255, 179 / 255))
    assert taught.with_judged(other, judged) is other
    kept = taught.read_judged(Path(taught.__file__).parent / "judged.npz")
    assert len(kept) == 204_800


def test_labels_turn_where_each_side_was_fitted_to(nli_script):
    calibrate = nli_script("calibrate")
    rng = np.random.default_rng(3)
    y = rng.integers(3, size=600)
    p = rng.dirichlet([1, 1, 1], 600)
    p[np.arange(600), y] += 0.35
    p /= p.sum(axis=1, keepdims=True)
    p[:, 2] *= 0.6  # contradiction is said too softly
    support, contradict = calibrate.fitted_thresholds(p, y)
    assert min(support, contradict) >= 0.5  # below, a class could be called that is not the likeliest
    from sklearn.metrics import f1_score

    best = f1_score(y, calibrate.labelled(p, support, contradict), average="macro")
    for s in np.linspace(0.5, 0.9, 17):
        for c in np.linspace(0.5, 0.9, 17):
            assert f1_score(y, calibrate.labelled(p, s, c), average="macro") <= best + 1e-12

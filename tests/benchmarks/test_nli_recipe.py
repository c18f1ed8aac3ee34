"""The recipe of the verifier's models: targets, the loop, stages that resume, and a toy that is made twice."""

from __future__ import annotations

import random
from types import SimpleNamespace

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


@pytest.mark.parametrize("stop", [2, 4, 5, 6])
def test_a_run_that_was_interrupted_is_the_run_it_would_have_been(train, tmp_path, stop):
    whole, _ = run_of(train, tmp_path / "whole", 10)
    run_of(train, tmp_path / "cut", 10, until=stop)
    gone_on, begun = run_of(train, tmp_path / "cut", 10)
    assert begun[0] == stop - stop % 3 or stop % 3 == 0
    assert torch.equal(gone_on.layer.weight, whole.layer.weight)


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


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_is_finished_is_not_made_again(toy, first):
    before = {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()}
    stages = toy("first")
    stages.train()
    stages.settle()
    stages.export()
    after = {path: path.stat().st_mtime_ns for path in first.out.rglob("*") if path.is_file()}
    assert {path.name for path in after if before.get(path) != after[path]} <= {"log.jsonl"}


@pytest.mark.slow
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


def test_a_recipe_without_a_part_is_refused(nli_script, tmp_path):
    (tmp_path / "x.toml").write_text('name = "x"\n')
    with pytest.raises(ValueError, match="no decay, hold, mixture"):
        nli_script("recipe").Recipe.read(tmp_path / "x.toml")

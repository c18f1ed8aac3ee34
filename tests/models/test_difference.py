"""A model that is kept as its difference to a trunk: what is stored, what comes back, and the errors."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, MPNetConfig, MPNetForSequenceClassification, MPNetModel, MPNetTokenizer

from fas.models import trunks as trunks_module
from fas.models.difference import FILE, TRUNK_FILE, pack, select_trunk_weights, unpack
from fas.models.nli import CLASSES, NliModel
from fas.models.trunks import WEIGHTS, Trunk, file_sha256
from fas.verify.nli import NliVerifier

SIZE = {"hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 128}
PAIRS = [
    ("the drug lowered fever", "fever was lowered"),
    ("the trial did not lower pain, it was not in pain and not in fever", "pain was lowered"),
    ("a patient", "a dose of the drug"),
]


@pytest.fixture
def trunk(tmp_path, monkeypatch):
    """A random MPNet encoder as a trunk in the cache."""
    monkeypatch.setenv("FAS_CACHE_DIR", str(tmp_path / "cache"))
    folder = tmp_path / "cache/models/tiny"
    words = "the drug lowered lower fever was trial did not pain a patient dose of it in and ,".split()
    vocabulary = {word: i for i, word in enumerate(["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *words])}
    MPNetTokenizer(vocab=vocabulary).save_pretrained(folder)
    torch.manual_seed(1)
    model = MPNetModel(MPNetConfig(vocab_size=len(vocabulary), max_position_embeddings=70, **SIZE))
    torch.nn.init.normal_(model.encoder.relative_attention_bias.weight, std=0.5)
    model.save_pretrained(folder)
    files = {path.name: file_sha256(path) for path in folder.iterdir()}
    own = Trunk("tiny", "Apache-2.0", (folder / WEIGHTS).stat().st_size, files, "-", "-", "1", "tiny", {})
    monkeypatch.setattr(trunks_module, "trunks", lambda: {"tiny": own})
    return own


@pytest.fixture
def tuned(trunk):
    """A classifier over it whose upper two layers moved a little, as fine-tuning moves them."""
    torch.manual_seed(2)
    config = MPNetConfig.from_pretrained(trunk.place, num_labels=3, id2label=dict(enumerate(CLASSES)))
    model = MPNetForSequenceClassification.from_pretrained(trunk.place, config=config).eval()
    torch.nn.init.normal_(model.classifier.out_proj.weight, std=1.0)
    with torch.no_grad():
        for layer in model.mpnet.encoder.layer[1:]:
            for p in layer.parameters():
                p.add_(0.01 * torch.randn_like(p))
    return model


@pytest.fixture
def folder(trunk, tuned, tmp_path):
    """The difference as it is kept."""
    place = tmp_path / "tiny_nli"
    tuned.config.save_pretrained(place)
    old = select_trunk_weights(tuned, load_file(trunk.place / WEIGHTS))
    new = {name: value for name, value in tuned.state_dict().items() if name not in old or not value.equal(old[name])}
    save_file(pack(new, old), place / FILE)
    (place / TRUNK_FILE).write_text(json.dumps({"trunk": "tiny", "sha256": trunk.sha256}))
    return place


def test_a_matrix_comes_back_within_half_a_step_of_its_group():
    torch.manual_seed(0)
    old = {"w": torch.randn(8, 192), "b": torch.randn(8)}
    new = {"w": old["w"] + 0.01 * torch.randn(8, 192), "b": old["b"] + 0.01, "head": torch.randn(3, 192)}
    packed = pack(new, old)
    assert packed["w.codes"].shape == (8, 96)
    assert packed["w.codes"].dtype == torch.uint8
    back = unpack(packed, old)
    steps = packed["w.steps"].float().repeat_interleave(64, dim=1)
    error = (back["w"] - new["w"]).abs()
    cut_off = (new["w"] - old["w"]).abs() > 7.5 * steps  # beyond the scale's end, which the least error chose
    assert (error[~cut_off] <= steps[~cut_off] / 2 + 1e-6).all()
    assert cut_off.float().mean() < 0.05
    assert error.norm() < 0.12 * (new["w"] - old["w"]).norm()
    assert torch.allclose(back["b"], new["b"], atol=1e-5)
    assert back["head"].equal(new["head"])


def test_trunk_and_difference_judge_as_the_model_they_were_made_of(folder, tuned, trunk):
    model = NliModel(str(folder), precision="fp32", max_length=64)
    tokenizer = AutoTokenizer.from_pretrained(trunk.place)
    with torch.inference_mode():
        wanted = [
            tuned(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0].numpy()
            for premise, hypothesis in PAIRS
        ]
        plain = MPNetForSequenceClassification.from_pretrained(trunk.place, config=tuned.config).eval()
        plain.classifier.load_state_dict(tuned.classifier.state_dict())
        without = [
            plain(**tokenizer(premise, hypothesis, return_tensors="pt")).logits[0].numpy()
            for premise, hypothesis in PAIRS
        ]
    found = model.logits(PAIRS)
    # What the four bits lose is a small part of what the difference does.
    assert np.abs(found - wanted).max() < 0.25 * np.abs(np.array(without) - wanted).max()
    assert (folder / FILE).stat().st_size < 0.2 * (trunk.place / WEIGHTS).stat().st_size


def test_without_the_trunk_the_error_names_the_one_command(folder, trunk):
    (trunk.place / WEIGHTS).unlink()
    with pytest.raises(LookupError, match="fas models get tiny"):
        NliVerifier(model=str(folder))


def test_a_cut_off_trunk_is_no_trunk(folder, trunk):
    weights = trunk.place / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(LookupError, match="fas models get"):
        NliModel(str(folder))

"""Word tables that stay in their files give the same rows, and no process has a copy of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import transformers as t

from fas.models.encoder import Encoder
from fas.models.mapped import map_word_table
from fas.models.nli import NliModel
from fas.models.paths import model_folder

SIZES = {"hidden_size": 24, "num_hidden_layers": 1, "num_attention_heads": 3, "intermediate_size": 40}


@pytest.fixture
def saved(tmp_path):
    """A small model and the file of its weights, kept in half precision."""
    torch.manual_seed(0)
    t.BertModel(t.BertConfig(vocab_size=50, **SIZES)).half().save_pretrained(tmp_path)
    return t.BertModel.from_pretrained(tmp_path, dtype=torch.float32).eval(), tmp_path / "model.safetensors"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_mapped_table_gives_the_same_states_to_the_bit_in_any_format(saved, dtype):
    model, file = saved
    model = model.to(dtype)
    ids = torch.randint(0, 50, (3, 9))
    with torch.inference_mode():
        expected = model(input_ids=ids).last_hidden_state
        assert map_word_table(model, [file.with_name("none.safetensors"), file])
        assert torch.equal(model(input_ids=ids).last_hidden_state, expected)
    assert 50 * 24 not in {own.numel() for own in model.parameters()}
    assert not map_word_table(model, [file])  # there is none any more


def test_a_table_that_was_trained_on_is_kept(saved):
    model, file = saved
    model.get_input_embeddings().weight.data[7] += 0.25
    table = model.get_input_embeddings()
    assert not map_word_table(model, [file])
    assert model.get_input_embeddings() is table


def test_the_embedded_models_read_one_table_from_one_file():
    if not open_maps():
        pytest.skip("this system does not tell what is mapped")
    models = [NliModel(precision="fp32"), NliModel(precision="bf16"), Encoder(precision="fp32")]
    for model in models:
        assert 30_522 * 384 not in {own.numel() for own in model.model.parameters()}
    assert str(model_folder("fas-encoder-mini") / "model.safetensors") in open_maps()


def open_maps() -> str:
    try:
        return Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return ""

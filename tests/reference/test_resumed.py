"""A text's states, and so its BERTScore, are the same bytes whatever else is read, in any order and any portions."""

from __future__ import annotations

import random

import pytest
import torch
import transformers as t

from fas.models.paths import model_folder
from fas.reference.encoding import TokenEncoder

SIZES = {"vocab_size": 30522, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
MADE = {
    "bert": lambda: t.BertModel(t.BertConfig(**SIZES, intermediate_size=64)),
    "roberta": lambda: t.RobertaModel(
        t.RobertaConfig(**SIZES, intermediate_size=64, max_position_embeddings=514, pad_token_id=1)
    ),
    # Its positions cannot be given, so its texts are padded to fixed widths.
    "distilbert": lambda: t.DistilBertModel(
        t.DistilBertConfig(vocab_size=30522, dim=32, n_layers=2, n_heads=4, hidden_dim=64)
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Folders of small random encoders, and the embedded one."""
    home = tmp_path_factory.mktemp("models")
    tokenizer = t.AutoTokenizer.from_pretrained(model_folder("fas-encoder-mini"))
    torch.manual_seed(0)
    for name, make in MADE.items():
        make().save_pretrained(home / name)
        tokenizer.save_pretrained(home / name)
    return {name: str(home / name) for name in MADE} | {"embedded": str(model_folder("fas-encoder-mini"))}


def _texts(encoder, seed, lengths):
    rng = random.Random(seed)
    return [encoder.tokenize(" ".join(rng.choices(["aspirin", "dose", "of", "the"], k=n))) for n in lengths]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("name", ["embedded", "bert", "roberta", "distilbert"])
def test_states_are_the_same_bytes_in_any_order_and_any_portions(folders, name, precision):
    encoder = TokenEncoder(folders[name], 2, precision=precision, batch_size=4)
    rng = random.Random(25)
    # 30 and 62 words with their two special tokens are a multiple of 32; 700 are more than the model reads at once.
    texts = _texts(encoder, 1, [0, 1, 13, 14, 30, 31, 40, 62, 75, 76, 100, 100, 130, 200, 510, 700])
    whole = [text.states.numpy().tobytes() for text in encoder.encode(texts)]
    for _ in range(3):
        order = rng.sample(range(len(texts)), len(texts))
        while order:
            portion = [order.pop() for _ in range(min(len(order), rng.choice([1, 2, 3, 7])))]
            for i, found in zip(portion, encoder.encode([texts[i] for i in portion]), strict=True):
                assert found.states.numpy().tobytes() == whole[i], (i, portion)


@pytest.mark.parametrize("name", ["bert", "roberta"])
def test_states_of_texts_side_by_side_against_each_padded_alone(folders, name):
    encoder = TokenEncoder(folders[name], 2, precision="fp32")
    texts = _texts(encoder, 2, [0, 3, 9, 40, 100, 200])
    model = t.AutoModel.from_pretrained(folders[name], attn_implementation="eager").eval()
    for ids, found in zip(texts, encoder.encode(texts), strict=True):
        padded = torch.tensor([[*ids, *[encoder.tokenizer.pad_token_id or 0] * 5]])
        mask = torch.tensor([[1] * len(ids) + [0] * 5])
        # RoBERTa counts positions from its padding index, which here is no token of the tokenizer.
        first = 2 if name == "roberta" else 0
        positions = torch.arange(first, first + padded.shape[1])[None]
        with torch.inference_mode():
            output = model(padded, attention_mask=mask, position_ids=positions)
        states = torch.nn.functional.normalize(output[0][0, : len(ids)], dim=-1)
        assert torch.allclose(found.states, states, rtol=0, atol=1e-5)

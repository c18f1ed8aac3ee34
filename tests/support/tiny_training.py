"""A tiny language model, its tokenizer and questions, for trainings in tests."""

from __future__ import annotations

from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

WORDS = "metformin lowers blood glucose . does it ? aspirin relieves pain yes no what the in adults".split()
HELD_OUT = [
    {"question": question, "references": [reference], "passages": [passage]}
    for question, reference, passage in (
        ("does metformin lowers glucose ?", "Metformin lowers glucose.", "Metformin lowers glucose."),
        ("what relieves pain ?", "Aspirin relieves pain.", "Aspirin relieved pain."),
    )
]


def make_tokenizer() -> PreTrainedTokenizerFast:
    """A tokenizer that knows `WORDS`."""
    words = {word: number for number, word in enumerate(["<pad>", "<s>", "</s>", "<unk>", *WORDS])}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", bos_token="<s>", eos_token="</s>", unk_token="<unk>"
    )


def make_model(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    """A model of one layer with random weights."""
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            pad_token_id=0,
            bos_token_id=1,
            eos_token_id=2,
        )
    )

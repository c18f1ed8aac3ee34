"""Answers of a model that is being trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Prompt = Callable[[Mapping[str, Any]], str]


def generate_answers(
    model: Any,
    tokenizer: Any,
    rows: Sequence[Mapping[str, Any]],
    *,
    prompt: Prompt | None = None,
    batch_size: int = 8,
    **settings: Any,
) -> list[str]:
    """The model's answer to the question of each row, decoder-only and sequence-to-sequence.

    The model is left in the mode (training or not) it was found in.

    Args:
        model: A `transformers` model that generates.
        tokenizer: Its tokenizer.
        rows: Each with a `question`.
        prompt: Makes the input of a row; by default the question in the tokenizer's chat template if it has one.
        batch_size: Questions at a time.
        **settings: For `model.generate`; greedy, 128 new tokens, unless they say otherwise.
    """
    import torch

    make = prompt or _asker(tokenizer)
    texts = [make(row) for row in rows]
    options = {"do_sample": False, "max_new_tokens": 128, **settings}
    side, pad = tokenizer.padding_side, tokenizer.pad_token
    decoder_only = not getattr(model.config, "is_encoder_decoder", False)
    was_training = model.training
    answers: list[str] = []
    try:
        model.eval()
        if pad is None:
            tokenizer.pad_token = tokenizer.eos_token
        tokenizer.padding_side = "left" if decoder_only else side
        options.setdefault("pad_token_id", tokenizer.pad_token_id)
        for start in range(0, len(texts), batch_size):
            batch = tokenizer(texts[start : start + batch_size], return_tensors="pt", padding=True, truncation=True)
            batch = {name: batch[name].to(model.device) for name in ("input_ids", "attention_mask")}
            with torch.no_grad():
                made = model.generate(**batch, **options)
            new = made[:, batch["input_ids"].shape[1] :] if decoder_only else made
            answers += [text.strip() for text in tokenizer.batch_decode(new, skip_special_tokens=True)]
    finally:
        tokenizer.padding_side, tokenizer.pad_token = side, pad
        model.train(was_training)
    return answers


def _asker(tokenizer: Any) -> Prompt:
    def ask(row: Mapping[str, Any]) -> str:
        question = str(row["question"])
        if getattr(tokenizer, "chat_template", None):
            turn = [{"role": "user", "content": question}]
            return str(tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))
        return question

    return ask


def means(report: Any, prefix: str) -> dict[str, float]:
    """The report's means as plain numbers: `PREFIXfas`, `PREFIXsupport`, ...; NaN where nothing could be scored."""
    found = {f"{prefix}{name.partition('@')[0]}": float(summary.mean) for name, summary in report.metrics.items()}
    return {**found, f"{prefix}unscored": float(report.n_unscored), f"{prefix}failed": float(report.n_failed)}

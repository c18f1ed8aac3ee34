"""Answers of a model in training, and their scores as plain numbers."""

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
    """The answer of *model*, decoder-only or sequence-to-sequence, to the `question` of each row; its mode stays.

    *prompt*: makes the input of a row; by default the question, in the tokenizer's chat template if it has one.
    *settings*: for `model.generate`; by default greedy, 128 new tokens.
    """
    import torch

    def ask(row: Mapping[str, Any]) -> str:
        question = str(row["question"])
        if not getattr(tokenizer, "chat_template", None):
            return question
        turn = [{"role": "user", "content": question}]
        return str(tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    texts = [(prompt or ask)(row) for row in rows]
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


def means(report: Any, prefix: str) -> dict[str, float]:
    """The report's means as plain numbers: `PREFIXfas`, `PREFIXsupport`, ...; NaN if nothing could be scored."""
    found = {f"{prefix}{name.partition('@')[0]}": float(summary.mean) for name, summary in report.metrics.items()}
    return {**found, f"{prefix}unscored": float(report.n_unscored), f"{prefix}failed": float(report.n_failed)}


def compute_metrics(
    tokenizer: Any, rows: Sequence[Mapping[str, Any]], *, profile: Any = "mini", **options: Any
) -> Callable[[Any], dict[str, float]]:
    """A function for `Seq2SeqTrainer(compute_metrics=...)` that scores what `predict_with_generate=True` gives.

    The Trainer passes tokens alone, so the other columns come from *rows*, matched by order.

    Args:
        tokenizer: Decodes the predictions.
        rows: The evaluation set, in the order in which it is evaluated: `question`, `references`, `passages`.
        profile: As for `fas.Scorer`.
        **options: More of `fas.Scorer`'s arguments.

    Returns:
        A function that gives plain numbers, NaN where nothing could be scored.

    Raises:
        ValueError: From the function, unless it gets a row of tokens for each row.
    """
    from fas.pipeline.runs.scorer import Scorer

    scorer = Scorer(profile, **options)

    def compute(prediction: Any) -> dict[str, float]:
        import numpy as np

        tokens = prediction.predictions[0] if isinstance(prediction.predictions, tuple) else prediction.predictions
        if tokens.ndim != 2:
            raise ValueError("the predictions are not tokens but logits; train with predict_with_generate=True")
        if len(tokens) != len(rows):
            raise ValueError(
                f"{len(tokens)} predictions for {len(rows)} rows; give the rows that are evaluated, in order"
            )
        pad = tokenizer.pad_token_id or 0  # in place of -100
        texts = tokenizer.batch_decode(np.where(tokens < 0, pad, tokens), skip_special_tokens=True)
        scored = [{**row, "prediction": text.strip()} for row, text in zip(rows, texts, strict=True)]
        return means(scorer.score(scored), "")

    return compute

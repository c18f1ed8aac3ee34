"""`compute_metrics` for a Trainer that generates (`predict_with_generate=True`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fas.integrations.training.answering import means


def compute_metrics(
    tokenizer: Any, rows: Sequence[Mapping[str, Any]], *, profile: Any = "mini", **options: Any
) -> Callable[[Any], dict[str, float]]:
    """A function for `Seq2SeqTrainer(compute_metrics=...)` that scores what was generated.

    The Trainer passes tokens alone, so the other columns come from *rows*, matched by order. Padding (-100) is taken
    for the tokenizer's own.

    Args:
        tokenizer: Decodes the predictions.
        rows: The evaluation set, in the order in which it is evaluated: `question`, `references`, `passages`.
        profile: As for `fas.Scorer`.
        **options: More of `fas.Scorer`'s arguments.

    Returns:
        A function that gives plain numbers, NaN where nothing could be scored.

    Raises:
        ValueError: From the function, if there are not as many predictions as rows, or they are no tokens.
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
        pad = tokenizer.pad_token_id if tokenizer.pad_token_id is not None else 0
        texts = tokenizer.batch_decode(np.where(tokens < 0, pad, tokens), skip_special_tokens=True)
        scored = [{**row, "prediction": text.strip()} for row, text in zip(rows, texts, strict=True)]
        return means(scorer.score(scored), "")

    return compute

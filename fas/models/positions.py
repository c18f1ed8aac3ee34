"""How many tokens a model's position embeddings allow, and where they begin."""

from __future__ import annotations

from typing import Any


def position_limit(model: Any) -> int | None:
    """The most tokens, special ones included, that *model* has positions for; None without a table of positions.

    Less than `max_position_embeddings` says where positions are counted from the padding index (RoBERTa, MPNet).
    Models with relative positions only have no table.
    """
    table = _position_table(model)
    if table is None:
        return None
    return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)


def first_position(model: Any) -> int:
    """The row of *model*'s table of positions that the first token of a text has; 0 without a table."""
    table = _position_table(model)
    return 0 if table is None or table.padding_idx is None else int(table.padding_idx) + 1


def _position_table(model: Any) -> Any:
    import torch

    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in ("position_embeddings", "wpe", "embed_positions") and isinstance(
            module, torch.nn.Embedding
        ):
            return module
    return None

"""Texts of an encoder laid end to end in rows of one length, each attending to itself only ("packing without
cross-contamination", Krell et al. 2021).

States then depend on the text alone. The libraries below choose kernels by the shape of a product, and
with them the order of its sums: one text in a batch of another size, or padded to another width, gets other states, by
the seventh digit in fp32 and the third in bfloat16. Here every row is computed in the same shape, the attention in that
of the text alone, and nothing is padded but the last row.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fas.models.loading import first_position

if TYPE_CHECKING:
    import torch

NAME = "fas_side_by_side"
# Families whose positions can be given, and which leave their attention to transformers' interface.
_FAMILIES = ("bert", "roberta", "xlm-roberta")
ROW = 512
"""Tokens of a row; longer ones gain little on a processor."""
MOST_TEXTS = 32
"""Texts that share a row of which a classifier reads the first tokens."""
# A longer text has a row of its own, filled up to a multiple of this.
_SHARED, _STEP = ROW // 2, 32


def lay_side_by_side(model: Any) -> bool:
    """Make *model* one that `states_of_row` can read with; False, and nothing changed, where it is of another family.

    Only for inference on a processor: on a GPU an attention for each text would cost more than its padding.
    """
    if model.device.type != "cpu" or model.config.model_type not in _FAMILIES:
        return False
    if getattr(model.config, "position_embedding_type", "absolute") != "absolute" or model.config.is_decoder:
        return False
    from transformers import AttentionInterface

    AttentionInterface.register(NAME, _attend)
    model.set_attn_implementation(NAME)
    return True


def is_side_by_side(model: Any) -> bool:
    """Whether *model* was made one that `states_of_row` can read with."""
    return bool(model.config._attn_implementation == NAME)


def rows_of(lengths: Sequence[int], length: int) -> list[list[int]]:
    """Numbers of the texts of each row: a row's lengths sum to at most *length* (best fit, the longest first).

    A text that is longer has a row to itself.
    """
    rows: list[list[int]] = []
    room: list[tuple[int, int]] = []  # what is left of each row, and its number, in order
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        size = lengths[index]
        at = bisect.bisect_left(room, (size, 0))
        if at < len(room):
            left, row = room.pop(at)
            rows[row].append(index)
        else:
            left, row = length, len(rows)
            rows.append([index])
        if left > size:
            bisect.insort(room, (left - size, row))
    return rows


def row_parts(lengths: Sequence[int]) -> list[list[int]]:
    """Numbers of the texts of each row; one that is longer than half a row has none beside it."""
    short = [i for i, length in enumerate(lengths) if length <= _SHARED]
    shared = rows_of([max(ROW // MOST_TEXTS, lengths[i]) for i in short], ROW)
    alone = sorted((i for i, length in enumerate(lengths) if length > _SHARED), key=lambda i: -lengths[i])
    return [[i] for i in alone] + [[short[i] for i in row] for row in shared]


def row_length(texts: Sequence[Sequence[int]]) -> int:
    """What the row of *texts* is filled up to (a multiple of), which each text decides by its own length."""
    return _STEP if len(texts[0]) > _SHARED else ROW


def states_of_row(model: Any, texts: Sequence[Sequence[int]], length: int) -> torch.Tensor:
    """The states of texts that share a row, one after the other, shape `[tokens, dimension]`.

    A row is filled up to *length* tokens; one that is longer, to a multiple of it.
    """
    row = _lay_out_row(model, texts, length)
    states: torch.Tensor = model(**row)[0][0]
    return states[: row["fas_ends"][-1]]


def logits_of_row(
    classifier: Any, texts: Sequence[Sequence[int]], kinds: Sequence[Sequence[int]] | None, length: int
) -> torch.Tensor:
    """The logits of at most `MOST_TEXTS` texts that share a row, shape `[texts, classes]`.

    The classifier is one for which `read_first_token_only` and `lay_side_by_side` said yes, in this order.
    """
    import torch

    row = _lay_out_row(classifier, texts, length)
    if kinds is not None:
        filling = row["input_ids"].shape[1] - row["fas_ends"][-1]
        row["token_type_ids"] = torch.tensor([[*(kind for own in kinds for kind in own), *[0] * filling]])
    logits: torch.Tensor = classifier(**row).logits
    return logits[: len(texts)]


def _lay_out_row(model: Any, texts: Sequence[Sequence[int]], length: int) -> dict[str, Any]:
    """What *model* is given of a row of texts: their tokens, each one's positions, and where each ends."""
    import torch

    ends = [0]
    for ids in texts:
        ends.append(ends[-1] + len(ids))
    filling = -ends[-1] % length
    first = first_position(model)
    tokens = torch.tensor([[*(token for ids in texts for token in ids), *[0] * filling]])
    positions = torch.cat([torch.arange(first, first + len(ids)) for ids in texts] + [torch.full((filling,), first)])
    return {"input_ids": tokens, "position_ids": positions[None], "fas_ends": tuple(ends)}


def _attend(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float | None = None,
    fas_ends: Sequence[int],
    **_: Any,
) -> tuple[torch.Tensor, None]:
    """Attention within each text, in the shape of the text; 0 for what fills the row."""
    import torch

    result = query.new_zeros(query.shape[0], query.shape[2], query.shape[1], value.shape[3])
    for start, stop in itertools.pairwise(fas_ends):
        found = torch.nn.functional.scaled_dot_product_attention(
            query[:, :, start:stop], key[:, :, start:stop], value[:, :, start:stop], scale=scaling
        )
        result[:, start:stop] = found.transpose(1, 2)
    return result, None

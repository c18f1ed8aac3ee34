"""The last layer of a classifier, computed for the one token that is read.

A classifier of the BERT family reads the state of the first token, [CLS], alone. In the last layer the other
tokens matter only through the keys and values that the first one attends to, so their queries and their
feed-forward network need not be computed: for six layers a seventh of all products, with the same result.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def read_first_token_only(classifier: Any) -> bool:
    """Replace the last layer of *classifier* in place where it is safe to, and return whether it was.

    Only for BERT classifiers (`BertForSequenceClassification`) whose attention is torch's own, for inference, and for
    MPNet classifiers (`MPNetForSequenceClassification`), for training without dropout, too; every other model is left
    as it is. Results differ in the last bits. The replaced model gives no states of other tokens and no
    attention weights.
    """
    from transformers import BertForSequenceClassification, MPNetForSequenceClassification

    if type(classifier) is MPNetForSequenceClassification:
        layers, replacement = classifier.mpnet.encoder.layer, _make_mpnet_layer
    elif type(classifier) is BertForSequenceClassification and classifier.bert.pooler is not None:
        config = classifier.config
        if config._attn_implementation not in ("sdpa", "eager") or config.is_decoder:
            return False
        layers, replacement = classifier.bert.encoder.layer, _make_bert_layer
    else:
        return False
    if len(layers) == 0:
        return False
    layers[-1] = replacement(layers[-1])
    return True


def _make_bert_layer(layer: Any) -> Any:
    """A BERT layer that gives the state of each text's first token, shape `[n, 1, dimension]`.

    Of texts side by side (`fas.models.side_by_side`) it gives those of `MOST_TEXTS`, filled up with the row's first
    token, as the number of texts must not decide how their states are computed.
    """
    import torch

    from fas.models.side_by_side import MOST_TEXTS

    class FirstTokenLayer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention, self.intermediate, self.output = layer.attention, layer.intermediate, layer.output

        def forward(
            self,
            states: torch.Tensor,
            mask: torch.Tensor | None = None,
            *_: Any,
            fas_ends: Sequence[int] | None = None,
            **__: Any,
        ) -> torch.Tensor:
            own = self.attention.self
            if fas_ends is None:
                first = states[:, :1]
            else:
                starts = [*fas_ends[:-1], *[0] * (MOST_TEXTS - len(fas_ends) + 1)]
                first = states[:, starts]

            heads = partial(_split_heads, own.num_attention_heads)
            query, key, value = heads(own.query(first)), heads(own.key(states)), heads(own.value(states))
            attend = torch.nn.functional.scaled_dot_product_attention
            if fas_ends is None:
                seen = attend(
                    query, key, value, attn_mask=None if mask is None else mask[:, :, :1], scale=own.scaling
                ).transpose(1, 2)
            else:
                seen = query.new_zeros(query.shape).transpose(1, 2)
                for i, (start, stop) in enumerate(itertools.pairwise(fas_ends)):
                    found = attend(
                        query[:, :, i : i + 1], key[:, :, start:stop], value[:, :, start:stop], scale=own.scaling
                    )
                    seen[:, i : i + 1] = found.transpose(1, 2)
            attended = self.attention.output(seen.flatten(2), first)
            result: torch.Tensor = self.output(self.intermediate(attended), attended)
            return result if fas_ends is None else result.transpose(0, 1)

    return FirstTokenLayer()


def _make_mpnet_layer(layer: Any) -> Any:
    """The same for MPNet, whose layers return a tuple and take the distances of tokens (`position_bias`)."""
    import torch

    class FirstTokenLayer(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention, self.intermediate, self.output = layer.attention, layer.intermediate, layer.output

        def forward(
            self,
            states: torch.Tensor,
            mask: torch.Tensor | None = None,
            position_bias: torch.Tensor | None = None,
            **_: Any,
        ) -> tuple[torch.Tensor]:
            own = self.attention.attn
            first = states[:, :1]

            heads = partial(_split_heads, own.num_attention_heads)
            scores = heads(own.q(first)) @ heads(own.k(states)).transpose(-1, -2)
            scores = scores / math.sqrt(own.attention_head_size)
            for added in (position_bias, mask):
                if added is not None:
                    scores = scores + added[:, :, :1]
            seen = scores.softmax(dim=-1).to(states.dtype) @ heads(own.v(states)).to(states.dtype)
            attended = self.attention.LayerNorm(own.o(seen.transpose(1, 2).flatten(2)) + first)
            return (self.output(self.intermediate(attended), attended),)

    return FirstTokenLayer()


def _split_heads(n_heads: int, projected: torch.Tensor) -> torch.Tensor:
    return projected.reshape(*projected.shape[:2], n_heads, -1).transpose(1, 2)

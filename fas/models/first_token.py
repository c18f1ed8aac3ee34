"""The last layer of a classifier, computed for the one token that is read.

A classifier of the BERT family reads the state of the first token, [CLS], alone. In the last layer the other
tokens matter only through the keys and values that the first one attends to, so their queries and their
feed-forward network need not be computed: for six layers a seventh of all products, with the same result.
"""

from __future__ import annotations

from typing import Any


def read_first_token_only(classifier: Any) -> bool:
    """Replace the last layer of *classifier* in place where it is safe to, and return whether it was.

    Only for inference, and only for BERT classifiers (`BertForSequenceClassification`) whose attention is torch's
    own; every other model is left as it is. Results differ in the last bits. The replaced model gives no
    states of other tokens and no attention weights.
    """
    import torch
    from transformers import BertForSequenceClassification

    if type(classifier) is not BertForSequenceClassification or classifier.bert.pooler is None:
        return False
    config = classifier.config
    if config._attn_implementation not in ("sdpa", "eager") or config.is_decoder:
        return False

    class FirstTokenLayer(torch.nn.Module):
        """A BERT layer that gives the state of each text's first token, shape `[n, 1, dimension]`."""

        def __init__(self, layer: Any) -> None:
            super().__init__()
            self.attention = layer.attention
            self.intermediate = layer.intermediate
            self.output = layer.output

        def forward(self, states: torch.Tensor, mask: torch.Tensor | None = None, *_: Any, **__: Any) -> torch.Tensor:
            own = self.attention.self
            first = states[:, :1]

            def heads(projected: torch.Tensor) -> torch.Tensor:
                return projected.reshape(*projected.shape[:2], own.num_attention_heads, -1).transpose(1, 2)

            seen = torch.nn.functional.scaled_dot_product_attention(
                heads(own.query(first)),
                heads(own.key(states)),
                heads(own.value(states)),
                attn_mask=None if mask is None else mask[:, :, :1],
                scale=own.scaling,
            )
            attended = self.attention.output(seen.transpose(1, 2).flatten(2), first)
            result: torch.Tensor = self.output(self.intermediate(attended), attended)
            return result

    layers = classifier.bert.encoder.layer
    if len(layers) == 0:
        return False
    layers[-1] = FirstTokenLayer(layers[-1])
    return True

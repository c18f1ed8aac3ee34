"""The network of a ColBERT checkpoint; imports torch, so `fas.evidence.colbert` imports it late."""

from __future__ import annotations

from typing import Any

import torch
from transformers import BertModel, BertPreTrainedModel

DIMENSION = 128
"""Size of the published checkpoints' vectors."""


class ColBERTNetwork(BertPreTrainedModel):  # type: ignore[misc]  # transformers has no types for it
    """BERT and a linear layer without bias; `config.dim` is the size of its vectors (128)."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.bert = BertModel(config)
        self.linear = torch.nn.Linear(config.hidden_size, getattr(config, "dim", DIMENSION), bias=False)
        self.post_init()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Unit vectors, shape `[n, tokens, dim]`."""
        states = self.bert(input_ids, attention_mask=attention_mask).last_hidden_state
        return torch.nn.functional.normalize(self.linear(states), dim=-1)

"""Numbered draws of a local model: exact sampling that does not depend on what shares the batch.

Adding Gumbel noise to logits / T and taking the largest is a draw from softmax(logits / T) (Gumbel, 1954; the
"Gumbel-max trick"). The noise of a row comes from a generator of its own, seeded by what is asked and the number of the
draw, so that the same draw gives the same reply in any batch, as far as the logits are the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any


def seed_of(key: str) -> int:
    """The seed of a draw, from the key of its prompt, which holds its number."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big")


class GumbelNoise:
    """Turns greedy decoding into draws: the logits of each row divided by the temperature, with noise of its own.

    Args:
        seeds: The seed of each row.
        temperature: Above 0.
    """

    def __init__(self, seeds: Sequence[int], temperature: float) -> None:
        import torch

        self._temperature = temperature
        self._generators = [torch.Generator().manual_seed(seed) for seed in seeds]

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The scores to take the largest of, shape `[n_rows, n_tokens]`."""
        import torch

        n_tokens = scores.shape[-1]
        drawn = torch.stack([torch.rand(n_tokens, generator=one, dtype=torch.float64) for one in self._generators])
        tiny = torch.finfo(torch.float64).tiny
        noise = -torch.log((-torch.log(drawn.clamp(min=tiny))).clamp(min=tiny))
        # Noise is drawn in the main memory, so that every device draws the same.
        return scores.double() / self._temperature + noise.to(scores.device)

"""Vectors of texts, computed once and kept on disk: most candidates of a claim come up for others, too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fas.core.cache import Cache, content_key

if TYPE_CHECKING:
    from fas.models.encoder import Encoder

_AT_ONCE = 256
# Raised whenever the same text would get another vector from the same weights.
_METHOD = "3"


class KeptVectors:
    """An encoder that asks the cache first.

    Args:
        encoder: Computes what is not there.
        precision: Number format the encoder computes in; vectors of two formats are two entries.
    """

    def __init__(self, encoder: Encoder, precision: str) -> None:
        self._encoder = encoder
        self._key = (_METHOD, encoder.signature, encoder.identity, precision)
        self._cache = Cache("encoder")
        self.signature = encoder.signature

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape `[len(texts), dimension]`; equal texts are computed once."""
        keys = [content_key(*self._key, text) for text in texts]
        known = self._cache.get_many(list(dict.fromkeys(keys)))
        todo = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        missing = list(todo)
        for start in range(0, len(missing), _AT_ONCE):
            part = missing[start : start + _AT_ONCE]
            vectors = self._encoder.embed([todo[key] for key in part])
            found = {key: vector.tobytes() for key, vector in zip(part, vectors, strict=True)}
            self._cache.put_many(found)
            known.update(found)
        if not keys:
            return np.zeros((0, self._encoder.dimension), dtype=np.float32)
        return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])

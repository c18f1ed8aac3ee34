"""Whether one text entails another: the Protocol that filters and detectors ask, and the NLI model behind it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from fas.core.cache import Cache, content_key
from fas.models.paths import EMBEDDED, resolve_model

if TYPE_CHECKING:
    from fas.models.nli import NliModel


@runtime_checkable
class ClaimEntailment(Protocol):
    """Says how likely a premise entails a hypothesis."""

    @property
    def signature(self) -> str:
        """What pins the probabilities; no `|`, `:`, `,`, bracket or blank."""

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """P(premise entails hypothesis) of each (premise, hypothesis), in [0, 1]; NaN where it cannot be read."""


# Raised whenever the same pair would get another probability from the same weights.
_METHOD = "3"


class NliEntailment:
    """Entailment by a three-way NLI model: the softmax over entailment, neutral and contradiction.

    Args:
        model: Embedded model, hub name or folder of a checkpoint.
        labels: Order of its classes, if its config does not name them.
        precision: `fp32`, `bf16` or `auto`.
        cache: Keep probabilities on disk, by content and model.
    """

    def __init__(
        self,
        *,
        model: str = "fas-nli-mini",
        labels: Sequence[str] | None = None,
        precision: str = "auto",
        cache: bool = True,
    ) -> None:
        self.model = model
        self.reads_english_only = model in EMBEDDED
        self._labels = None if labels is None else tuple(labels)
        self._precision = precision
        self._cache = Cache("entailment") if cache else None

    @cached_property
    def _nli(self) -> NliModel:
        from fas.models.nli import load_nli

        return load_nli(self.model, labels=self._labels, precision=self._precision)

    @cached_property
    def signature(self) -> str:
        """`NAME@VERSION`."""
        name = resolve_model(self.model)[1] if self.model in EMBEDDED else self._nli.signature
        return re.sub(r"[|:,\[\]\s]", "_", name)

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """P(entailment) of each (premise, hypothesis); NaN for a hypothesis that fills the model's window."""
        keys = {pair: content_key("entailment", _METHOD, self._nli.identity, *pair) for pair in pairs}
        stored = self._cache.get_many(list(keys.values())) if self._cache else {}
        known = {pair: float(json.loads(stored[key])) for pair, key in keys.items() if key in stored}
        todo = [pair for pair in keys if pair not in known]
        computed = dict(zip(todo, self._compute(todo), strict=True))
        if self._cache:
            # NaN is neither stored nor JSON.
            self._cache.put_many((keys[pair], json.dumps(p).encode()) for pair, p in computed.items() if p == p)
        known.update(computed)
        return [known[pair] for pair in pairs]

    def _compute(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        if not pairs:
            return []
        import numpy as np

        logits = self._nli.logits(pairs).astype(np.float64)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return [float(p) for p in odds[:, 0] / odds.sum(axis=1)]

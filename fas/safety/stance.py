"""Probabilities from named features: of the stance of a mention, and of a finding.

A model is a logistic regression whose weights have names, so that what was learned can be read; `weights.json` holds
all of them, fitted by `python -m benchmarks.safety.fit` on mentions and cases that were labelled by reading.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("weights.json")
STANCES = ("advise", "allow", "condition", "discourage", "stop", "report", "other")
"""What an answer does with a drug where it names it."""


@dataclass(frozen=True, slots=True)
class Model:
    """A logistic regression.

    Attributes:
        classes: What it tells apart, in the order of its weights; of two classes only the second has weights.
        bias: One number for each class that has weights.
        weights: For each feature, a number for each class that has weights.
    """

    classes: tuple[str, ...]
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]

    def scores(self, features: Mapping[str, float]) -> list[float]:
        """The log odds of each class that has weights, up to a constant."""
        totals = list(self.bias)
        for name, value in features.items():
            own = self.weights.get(name)
            if own is not None:
                for n, weight in enumerate(own):
                    totals[n] += weight * value
        return totals

    def probability(self, features: Mapping[str, float]) -> float:
        """Of two classes, how likely it is the second; between 0 and 1."""
        (total,) = self.scores(features)
        return 1 / (1 + math.exp(-max(-60.0, min(60.0, total))))

    def probabilities(self, features: Mapping[str, float]) -> dict[str, float]:
        """How likely each class is; they sum to 1."""
        totals = self.scores(features)
        highest = max(totals)
        raised = [math.exp(total - highest) for total in totals]
        return {name: value / sum(raised) for name, value in zip(self.classes, raised, strict=True)}

    def reasons(self, features: Mapping[str, float], *, most: int = 5) -> list[tuple[str, float]]:
        """The features that counted most for or against the last class, with what they added to its log odds."""
        added = [(name, self.weights[name][-1] * value) for name, value in features.items() if name in self.weights]
        return sorted(added, key=lambda item: -abs(item[1]))[:most]


@cache
def load_models() -> Mapping[str, Model]:
    """The fitted models by name: `stance`, and each family of findings."""
    return read_models(json.loads(TABLE.read_text(encoding="utf-8"))["models"])


@cache
def load_thresholds() -> Mapping[str, float]:
    """For each severity the probability from which a finding becomes a flag."""
    found: dict[str, float] = json.loads(TABLE.read_text(encoding="utf-8"))["thresholds"]
    return found


def read_models(stored: Mapping[str, Mapping[str, object]]) -> dict[str, Model]:
    """Models as they are stored."""
    made = {}
    for name, own in stored.items():
        rows: Mapping[str, list[float]] = own["weights"]  # type: ignore[assignment]
        made[name] = Model(
            tuple(own["classes"]),  # type: ignore[arg-type]
            tuple(own["bias"]),  # type: ignore[arg-type]
            {feature: tuple(weights) for feature, weights in rows.items()},
        )
    return made

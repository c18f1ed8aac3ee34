"""From features to calibrated probabilities: a multinomial logistic regression read from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fas.files.plain import parse_json
from fas.verify import features, passage_features

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


TURNING = 0.7
"""Where a label turns by definition; a calibrator's `turns` are carried there."""


class Probabilities(NamedTuple):
    """P(support), P(neither) and P(contradict); they sum to 1."""

    support: float
    neither: float
    contradict: float


@dataclass(frozen=True)
class Calibrator:
    """Weights of the regression.

    Attributes:
        mean: Subtracted from the features, shape `[n_features]`.
        scale: Divides them, shape `[n_features]`.
        coefficients: Shape `[3, n_features]`, rows support, neither, contradict.
        intercept: Shape `[3]`.
        one_window: The regression for passages that are a single window, or None where this one serves them too.
            Somebody chose such a sentence as evidence, so that few shared words mean less than in an abstract.
        turns: Probability of support and of contradiction from which on each is worth calling (fitted for the labels,
            apart), or None: both are bent so that this place comes to lie at `TURNING`.
        balanced: A regression over the same features in which the classes weigh alike, and the power that its
            P(contradict) is raised to; then that takes the place of the first one's. Contradictions are so rare that a
            regression at their real rate hardly tells them apart.
    """

    mean: Array
    scale: Array
    coefficients: Array
    intercept: Array
    one_window: Calibrator | None = None
    turns: tuple[float, float] | None = None
    balanced: tuple[Array, Array, float] | None = None

    def predict(self, rows: Sequence[Sequence[float]]) -> list[Probabilities]:
        """Probabilities for feature vectors (in the order of its features), one per row."""
        import numpy as np

        if not rows:
            return []
        x = (np.asarray(rows, dtype=np.float64) - self.mean) / self.scale
        p = _softmax(x, self.coefficients, self.intercept)
        if self.balanced is not None:
            coefficients, intercept, power = self.balanced
            sides = capped(np.stack([p[:, 0], _softmax(x, coefficients, intercept)[:, 2] ** power], axis=1))
            p = np.stack([sides[:, 0], 1.0 - sides.sum(axis=1), sides[:, 1]], axis=1)
        if self.turns is not None:
            p = bent(p, *self.turns)
        return [Probabilities(*map(float, row)) for row in p]

    @classmethod
    def read(cls, path: Path) -> Calibrator:
        """The calibrator stored in *path*.

        Raises:
            ValueError: The file was made for other features than this version computes.
        """
        import numpy as np

        data = parse_json(path.read_bytes())
        known = (features.FEATURES, passage_features.FEATURES)
        if tuple(data["features"]) not in known:
            raise ValueError(f"{path}: features {data['features']} are none of {[list(names) for names in known]}")

        turns = data.get("turns")
        own_turns = None if turns is None else (float(turns["support"]), float(turns["contradict"]))

        balanced = data.get("balanced")
        classes = None
        if balanced is not None:
            weights, bias = (np.asarray(balanced[key], dtype=np.float64) for key in ("coefficients", "intercept"))
            classes = weights, bias, float(balanced["power"])

        def regression(own: Mapping[str, Sequence[float]], one_window: Calibrator | None = None) -> Calibrator:
            mean, scale, coefficients, intercept = (
                np.asarray(own[key], dtype=np.float64) for key in ("mean", "scale", "coefficients", "intercept")
            )
            return cls(mean, scale, coefficients, intercept, one_window, own_turns, classes)

        return regression(data, regression(data["one_window"]) if "one_window" in data else None)


def _softmax(x: Array, coefficients: Array, intercept: Array) -> Array:
    import numpy as np

    # Row by row sums, not a matrix product: the result must not depend on the batch.
    scores = (x[:, None, :] * coefficients[None]).sum(axis=-1) + intercept
    scores -= scores.max(axis=1, keepdims=True)
    p = np.exp(scores)
    found: Array = p / p.sum(axis=1, keepdims=True)
    return found


def capped(sides: Array) -> Array:
    """*sides*, shape `[n, 2]`, each in [0, 1]; where they make more than 1 together, the smaller one gives way."""
    import numpy as np

    larger = sides.max(axis=1, keepdims=True)
    kept: Array = np.where(sides < larger, np.minimum(sides, 1.0 - larger), sides)
    kept /= np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
    return kept


def bent(p: Array, support: float, contradict: float) -> Array:
    """*p*, shape `[n, 3]`, with the first and last column raised to the power that carries a turn to `TURNING`.

    What is left is the middle's. Where the two sides make more than 1 together, the smaller one gives way.
    """
    import numpy as np

    sides = capped(p[:, [0, 2]] ** (np.log(TURNING) / np.log([support, contradict])))
    return np.stack([sides[:, 0], 1.0 - sides.sum(axis=1), sides[:, 1]], axis=1)

"""From features to calibrated probabilities: a multinomial logistic regression read from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fas.core.files.plain import parse_json
from fas.verify.passage_features import FEATURES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float64]


TURNING = 0.7
"""Where contradiction turns: the power it is raised to carries the fitted threshold there."""


class Probabilities(NamedTuple):
    """P(support), P(neither) and P(contradict); they sum to 1."""

    support: float
    neither: float
    contradict: float


@dataclass(frozen=True)
class Calibrator:
    """Weights of the regression; rows of the coefficients are support, neither, contradict.

    Attributes:
        balanced: A regression over the same features in which the classes weigh alike, and the power that its
            P(contradict) is raised to; that takes the place of the first one's. Contradictions are so rare that a
            regression at their real rate hardly tells them apart.
    """

    mean: Array
    scale: Array
    coefficients: Array
    intercept: Array
    balanced: tuple[Array, Array, float]

    def predict(self, rows: Sequence[Sequence[float]]) -> list[Probabilities]:
        """Probabilities for feature vectors (in the order of `FEATURES`), one per row."""
        import numpy as np

        if not rows:
            return []
        # What is not known counts as it is on average.
        x = np.nan_to_num((np.asarray(rows, dtype=np.float64) - self.mean) / self.scale, nan=0.0)
        p = _apply_regression(x, self.coefficients, self.intercept)
        coefficients, intercept, power = self.balanced
        sides = cap_sides(np.stack([p[:, 0], _apply_regression(x, coefficients, intercept)[:, 2] ** power], axis=1))
        p = np.stack([sides[:, 0], 1.0 - sides.sum(axis=1), sides[:, 1]], axis=1)
        return [Probabilities(*map(float, row)) for row in p]

    @classmethod
    def read(cls, path: Path) -> Calibrator:
        """The calibrator stored in *path*; a ValueError where it was made for other features than this version
        computes.
        """
        import numpy as np

        data = parse_json(path.read_bytes())
        if tuple(data["features"]) != FEATURES:
            raise ValueError(f"{path}: features {data['features']} are not {list(FEATURES)}")

        def arrays(own: Mapping[str, Any], *names: str) -> list[Array]:
            return [np.asarray(own[name], dtype=np.float64) for name in names]

        mean, scale, coefficients, intercept = arrays(data, "mean", "scale", "coefficients", "intercept")
        weights, bias = arrays(data["balanced"], "coefficients", "intercept")
        return cls(mean, scale, coefficients, intercept, (weights, bias, float(data["balanced"]["power"])))


def _apply_regression(x: Array, coefficients: Array, intercept: Array) -> Array:
    from scipy.special import softmax

    # Row by row sums, not a matrix product: the result must not depend on the batch.
    found: Array = softmax((x[:, None, :] * coefficients[None]).sum(axis=-1) + intercept, axis=1)
    return found


def cap_sides(sides: Array) -> Array:
    """*sides*, shape `[n, 2]`, each in [0, 1]; where they make more than 1 together, the smaller one gives way."""
    import numpy as np

    larger = sides.max(axis=1, keepdims=True)
    kept: Array = np.where(sides < larger, np.minimum(sides, 1.0 - larger), sides)
    kept /= np.maximum(kept.sum(axis=1, keepdims=True), 1.0)
    return kept

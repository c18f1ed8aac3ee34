"""Alignment of two sets of findings: the assignment that maximises the similarity of explanations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from numpy.typing import NDArray

Vectors = npt.NDArray[np.float64]

MIN_SIMILARITY = 0.5
"""Least cosine of two explanations that may be paired, until a better one is measured."""
_GRAIN = 1e-9  # gains nearer than this are equal


class TextEmbedder(Protocol):
    """Maps texts to unit vectors, as `fas.evidence.rerank.Embedder`."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape `[n_texts, n_dimensions]`."""


class AlignedPair(NamedTuple):
    """Positions of two aligned findings."""

    left: int
    right: int


def align(left: Vectors, right: Vectors, *, min_similarity: float = MIN_SIMILARITY) -> list[AlignedPair]:
    """The pairs of the matching with the largest sum of cosines, among pairs of at least *min_similarity*.

    Cosines below count 0 in the assignment (Hungarian algorithm), and pairs of gain 0 are dropped. Taking pairs
    apart afterwards instead would lose valid ones: of the cosines [[.70, .45], [.45, -.50]] the assignment
    that ignores the threshold 0.5 takes both .45. Of several best matchings the one in the order of the
    positions is taken.

    Args:
        left: Unit vectors, shape `[n_left, d]`; a row of zeros is like nothing.
        right: Unit vectors, shape `[n_right, d]`.
        min_similarity: Least cosine, in (0, 1].

    Raises:
        ValueError: `min_similarity` is out of range.
    """
    if not 0.0 < min_similarity <= 1.0:
        raise ValueError(f"`min_similarity` must be in (0, 1], got {min_similarity!r}")
    if not len(left) or not len(right):
        return []
    return align_gains(left @ right.T, min_similarity=min_similarity)


def align_gains(cosines: Vectors, *, min_similarity: float) -> list[AlignedPair]:
    """As `align`, from the cosines themselves, shape `[n_left, n_right]`."""
    from scipy.optimize import linear_sum_assignment

    # Cosines of unit vectors in single precision: the last bits must not decide what is at the threshold.
    gains = np.where(cosines >= min_similarity - _GRAIN, np.round(cosines, 9), 0.0)
    # Among matchings of equal gain the sum of products of positions is largest for the one that keeps the order.
    order = np.outer(np.arange(gains.shape[0]), np.arange(gains.shape[1])) / gains.size
    rows, columns = linear_sum_assignment(gains + 0.1 * _GRAIN * order, maximize=True)
    return [AlignedPair(int(i), int(j)) for i, j in zip(rows, columns, strict=True) if gains[i, j] > 0.0]


def explanation_vectors(explanations: Sequence[str], embedder: TextEmbedder) -> Vectors:
    """A unit vector for each explanation, shape `[n, d]`; a row of zeros for an empty one.

    Raises:
        ValueError: The embedder gave a number that is none; the message has its text.
    """
    worded = [i for i, text in enumerate(explanations) if text.strip()]
    if not worded:
        return np.zeros((len(explanations), 1))
    found = np.asarray(embedder.embed([explanations[i] for i in worded]), dtype=np.float64)
    bad = ~np.isfinite(found).all(axis=1)
    if bad.any():
        text = explanations[worded[int(np.flatnonzero(bad)[0])]]
        raise ValueError(f"the embedder gave a vector with NaN or infinity for the explanation {text[:200]!r}")
    vectors = np.zeros((len(explanations), found.shape[1]))
    vectors[worded] = unit(found)
    return vectors


def unit(vectors: Vectors) -> Vectors:
    """Rows scaled to length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return scaled

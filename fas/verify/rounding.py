"""What of a judgement computed in bfloat16 must be computed again in fp32.

A label turns at a threshold, so a rounding error matters where a probability stands close to
it (then the windows are read again), and where it decided which windows of a passage were read
at all (then they are chosen again, and read if the choice changes). Everything else stays.
"""

from __future__ import annotations

from fas.records import Judgement
from fas.text.windows import OFF_TOPIC, Nearest

# On 1,280 pairs of the examples the probabilities in bf16 differ from those in fp32 by more than 0.015 in one
# pair of a hundred, and cosines by more than 0.0027 in one of a hundred (0.0042 at most); where other windows are
# read, probabilities moved by up to 0.2.
NEAR_THRESHOLD = 0.03
NEAR_COSINE = 0.003
# Below this no change of windows has lifted a probability to a threshold that one would set.
_POSSIBLE = 0.4


def near_threshold(judgement: Judgement, *thresholds: float) -> bool:
    """Whether the rounding of bfloat16 could have carried a probability over one of *thresholds*, from 0 to 1."""
    if judgement.failure is not None:
        return False
    sides = judgement.p_support, judgement.p_contradict
    return any(abs(p - threshold) < NEAR_THRESHOLD for p in sides for threshold in thresholds)


def windows_in_doubt(judgement: Judgement, near: Nearest, threshold: float) -> bool:
    """Whether the rounding of bfloat16 could have decided which windows were read, where that can matter.

    That is so where a hair decided that the passage is not read at all, and where other windows
    would have been read by a hair, unless the pair says next to nothing.

    Args:
        judgement: What came out in bf16.
        near: The windows that were read.
        threshold: Where labels turn, from 0 to 1.
    """
    if judgement.failure is not None or not near.windows:
        return False
    if abs(near.closest - OFF_TOPIC) < NEAR_COSINE:
        return True
    says = max(judgement.p_support, judgement.p_contradict)
    return near.gap < NEAR_COSINE and says > min(_POSSIBLE, threshold)

"""Which judgements computed in bfloat16 must be computed again in fp32.

A label turns at a threshold, so a rounding error matters where a probability stands close to
it, and where it decided which windows of a passage were read at all. Everything else stays.
"""

from __future__ import annotations

from fas.records import Judgement
from fas.verify.windows import OFF_TOPIC, Nearest

# On 1,280 pairs of the examples the probabilities in bf16 differ from those in fp32 by more than 0.015 in one
# pair of a hundred, and cosines by more than 0.0027 in one of a hundred (0.0042 at most); where other windows are
# read, probabilities moved by up to 0.2.
NEAR_THRESHOLD = 0.03
NEAR_COSINE = 0.003
# Below this no change of windows has lifted a probability to a threshold that one would set.
_POSSIBLE = 0.4


def in_doubt(judgement: Judgement, near: Nearest, threshold: float) -> bool:
    """Whether the rounding of bfloat16 could have decided on which side of *threshold* a pair lies.

    That is so where a probability lies near the threshold, where other windows would have been
    read by a hair (unless the pair says next to nothing), and where a hair decided that the
    passage is not read at all.

    Args:
        judgement: What came out in bf16.
        near: The windows that were read.
        threshold: Where labels turn, from 0 to 1.
    """
    if judgement.failure is not None or not near.windows:
        return False
    probabilities = (judgement.p_support, judgement.p_contradict)
    if any(abs(p - threshold) < NEAR_THRESHOLD for p in probabilities):
        return True
    if abs(near.cosines[0] - OFF_TOPIC) < NEAR_COSINE:
        return True
    return near.gap < NEAR_COSINE and max(probabilities) > min(_POSSIBLE, threshold)

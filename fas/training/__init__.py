"""Scores inside training: a reward for TRL, a callback and metrics for `transformers.Trainer`.

The names are loaded when first used, so that a reward needs neither `transformers` nor TRL to be imported.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fas.training.callback import FasCallback
    from fas.training.metrics import compute_metrics
    from fas.training.reward import FasReward

__all__ = ["FasCallback", "FasReward", "compute_metrics"]

_HOME = {
    "FasCallback": "fas.training.callback",
    "FasReward": "fas.training.reward",
    "compute_metrics": "fas.training.metrics",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fas.training' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)

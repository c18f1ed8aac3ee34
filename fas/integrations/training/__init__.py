"""Scores inside training: a reward for TRL, a callback and metrics for `transformers.Trainer`.

The names are loaded on first use, so that a reward imports neither `transformers` nor TRL.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fas.integrations.training.answering import compute_metrics
    from fas.integrations.training.callback import FasCallback
    from fas.integrations.training.reward import FasReward

__all__ = ["FasCallback", "FasReward", "compute_metrics"]

_HOME = {
    "FasCallback": "fas.integrations.training.callback",
    "FasReward": "fas.integrations.training.reward",
    "compute_metrics": "fas.integrations.training.answering",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fas.integrations.training' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)

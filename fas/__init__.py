"""Fact-aligned evaluation of medical answers: evidence, contradictions, safety, uncertainty.

The public names are loaded when first used, so that `import fas` costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.core.loading import loading

if TYPE_CHECKING:
    from fas.api import score as score
    from fas.api import score_answers as score_answers
    from fas.core.profile import Profile as Profile
    from fas.core.profile import load_profile as load_profile
    from fas.core.records import Answer as Answer
    from fas.core.records import AnswerScore as AnswerScore
    from fas.core.records import Claim as Claim
    from fas.core.records import Passage as Passage
    from fas.core.records import Report as Report
    from fas.detectors.combine_folders import combine as combine
    from fas.detectors.run import detect_answers as detect_answers
    from fas.integrations.evaluate_modules.location import module_names as module_names
    from fas.integrations.evaluate_modules.location import module_path as module_path
    from fas.integrations.notebook import Run as Run
    from fas.integrations.notebook import open_run as open_run
    from fas.leaf.revise import revise as revise
    from fas.pipeline.runs.explaining import verify_claim as verify_claim
    from fas.pipeline.runs.scorer import Scorer as Scorer
    from fas.pipeline.single import check_safety as check_safety
    from fas.pipeline.single import extract_claims as extract_claims

_NAMES = {
    "fas.api": "score score_answers",
    "fas.core.profile": "Profile load_profile",
    "fas.core.records": "Answer AnswerScore Claim Passage Report",
    "fas.detectors.combine_folders": "combine",
    "fas.detectors.run": "detect_answers",
    "fas.integrations.evaluate_modules.location": "module_names module_path",
    "fas.integrations.notebook": "Run open_run",
    "fas.leaf.revise": "revise",
    "fas.pipeline.runs.explaining": "verify_claim",
    "fas.pipeline.runs.scorer": "Scorer",
    "fas.pipeline.single": "check_safety extract_claims",
}
_HOME = {name: module for module, names in _NAMES.items() for name in names.split()}
__all__ = ["__version__", *_HOME]
# Packages whose names a user may take for the function's.
_FUNCTIONS = {"claims": "extract_claims", "safety": "check_safety", "verify": "verify_claim"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        hint = f"; the function is fas.{_FUNCTIONS[name]}" if name in _FUNCTIONS else ""
        # With name and object, Python suggests a similar public name.
        raise AttributeError(f"module 'fas' has no attribute {name!r}{hint}", name=name, obj=sys.modules[__name__])
    with loading():
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__

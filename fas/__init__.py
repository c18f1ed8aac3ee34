"""Fact-aligned evaluation of medical answers: evidence, contradictions, safety, uncertainty.

The public names are loaded when first used, so that `import fas` costs nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.core.loading import loading

if TYPE_CHECKING:
    from fas.api import score, score_answers
    from fas.core.profile import Profile, load_profile
    from fas.core.records import Answer, AnswerScore, Claim, Passage, Report
    from fas.detectors.combine_folders import combine
    from fas.detectors.run import detect_answers
    from fas.integrations.evaluate_modules.location import module_names, module_path
    from fas.integrations.notebook import Run, open_run
    from fas.leaf.revise import revise
    from fas.pipeline.runs.explaining import verify_claim
    from fas.pipeline.runs.scorer import Scorer
    from fas.pipeline.single import check_safety, extract_claims

__all__ = [
    "Answer",
    "AnswerScore",
    "Claim",
    "Passage",
    "Profile",
    "Report",
    "Run",
    "Scorer",
    "__version__",
    "check_safety",
    "combine",
    "detect_answers",
    "extract_claims",
    "load_profile",
    "module_names",
    "module_path",
    "open_run",
    "revise",
    "score",
    "score_answers",
    "verify_claim",
]

_HOME = {
    "Answer": "fas.core.records",
    "AnswerScore": "fas.core.records",
    "Claim": "fas.core.records",
    "Passage": "fas.core.records",
    "Profile": "fas.core.profile",
    "Report": "fas.core.records",
    "Run": "fas.integrations.notebook",
    "Scorer": "fas.pipeline.runs.scorer",
    "check_safety": "fas.pipeline.single",
    "combine": "fas.detectors.combine_folders",
    "detect_answers": "fas.detectors.run",
    "extract_claims": "fas.pipeline.single",
    "load_profile": "fas.core.profile",
    "module_names": "fas.integrations.evaluate_modules.location",
    "module_path": "fas.integrations.evaluate_modules.location",
    "open_run": "fas.integrations.notebook",
    "revise": "fas.leaf.revise",
    "score": "fas.api",
    "score_answers": "fas.api",
    "verify_claim": "fas.pipeline.runs.explaining",
}


# Packages that somebody who looks for the function may name.
_FUNCTIONS = {"claims": "extract_claims", "safety": "check_safety", "verify": "verify_claim"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        hint = f"; the function is fas.{_FUNCTIONS[name]}" if name in _FUNCTIONS else ""
        # With name and object, Python suggests the public name that is meant.
        raise AttributeError(f"module 'fas' has no attribute {name!r}{hint}", name=name, obj=sys.modules[__name__])
    from importlib import import_module

    with loading():
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__

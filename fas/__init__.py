"""Fact-aligned evaluation of medical answers: evidence, contradictions, safety, uncertainty.

The public names are loaded when first used, so that `import fas` costs nothing.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.loading import loading

if TYPE_CHECKING:
    from fas.api import score_answers
    from fas.evaluate_modules.location import module_names, module_path
    from fas.findings.combining import combine
    from fas.findings.detecting import detect_answers
    from fas.leaf.revise import revise
    from fas.pipeline.single import check_safety, extract_claims
    from fas.profile import Profile, load_profile
    from fas.records import Answer, AnswerScore, Claim, Passage, Report
    from fas.runs.explaining import verify_claim
    from fas.runs.scorer import Scorer

__all__ = [
    "Answer",
    "AnswerScore",
    "Claim",
    "Passage",
    "Profile",
    "Report",
    "Scorer",
    "__version__",
    "check_safety",
    "combine",
    "detect_answers",
    "extract_claims",
    "load_profile",
    "module_names",
    "module_path",
    "revise",
    "score_answers",
    "verify_claim",
]

_HOME = {
    "Answer": "fas.records",
    "AnswerScore": "fas.records",
    "Claim": "fas.records",
    "Passage": "fas.records",
    "Profile": "fas.profile",
    "Report": "fas.records",
    "Scorer": "fas.runs.scorer",
    "check_safety": "fas.pipeline.single",
    "combine": "fas.findings.combining",
    "detect_answers": "fas.findings.detecting",
    "extract_claims": "fas.pipeline.single",
    "load_profile": "fas.profile",
    "module_names": "fas.evaluate_modules.location",
    "module_path": "fas.evaluate_modules.location",
    "revise": "fas.leaf.revise",
    "score_answers": "fas.api",
    "verify_claim": "fas.runs.explaining",
}


def __getattr__(name: str) -> Any:
    if name == "verify":  # a package that can be called, see there
        from importlib import import_module

        return import_module("fas.verify")
    if name not in _HOME:
        # With name and object, Python suggests the public name that is meant.
        raise AttributeError(f"module 'fas' has no attribute {name!r}", name=name, obj=sys.modules[__name__])
    from importlib import import_module

    with loading():
        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__

"""One text at a time, for Python: its claims and its safety flags, without a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from fas.core.answers.schema import strip_reasoning
from fas.core.arguments import suggest_arguments
from fas.core.records import Answer, Claim, Flag

if TYPE_CHECKING:
    from fas.claims.extractor import SpacyClauses
    from fas.safety.checker import SafetyChecker


@suggest_arguments
def extract_claims(text: str, *, question: str | None = None) -> list[Claim]:
    """The claims that *text* makes, in order, each with its place (`start`, `end`; None where it has none).

    Args:
        text: An answer in English. Reasoning in it (`<think>...</think>`) is not read.
        question: The question it answers; short answers ("Yes.", "Zinc.") have a claim only beside their question.

    Examples:
        >>> [claim.text for claim in extract_claims("Aspirin relieves pain and lowers fever.")]
        ['Aspirin relieves pain.', 'Aspirin lowers fever.']
    """
    (claims,) = _load_extractor().extract(_make_answer(text, question))
    return claims


@suggest_arguments
def check_safety(text: str, *, question: str | None = None) -> list[Flag]:
    """The safety flags of *text*: doses, interactions, contraindications and more, each with its place and source.

    No clinician has reviewed the tables. No flag does not mean that the text is safe.

    Args:
        text: An answer in English. Reasoning in it is not read.
        question: The question it answers: the patient, the drugs and the doses that it names count as well.

    Examples:
        >>> [flag.code for flag in check_safety("Take 10 g of paracetamol a day.")]
        ['DOSE_ABOVE_MAX']
    """
    (flags,) = _load_checker().check(_make_answer(text, question))
    return list(flags)


def _make_answer(text: str, question: str | None) -> Sequence[Answer]:
    return [strip_reasoning(Answer(id="1", prediction=text, question=question))]


@lru_cache(maxsize=1)
def _load_extractor() -> SpacyClauses:
    from fas.claims.extractor import SpacyClauses

    return SpacyClauses()


@lru_cache(maxsize=1)
def _load_checker() -> SafetyChecker:
    from fas.safety.checker import SafetyChecker

    return SafetyChecker()

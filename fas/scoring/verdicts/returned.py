"""Checks of what a part returns, where it enters: an error names the part, not the answer that met it.

A wrong shape or type is the part's fault and stops the run. An impossible probability costs only its claim
(`fas.scoring.verdicts.judge`): a verifier may fail on one text and be right about the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from fas.core.checks import format_value, is_whole
from fas.core.errors import PartBroken
from fas.core.records import Answer, Claim, Judgement, Passage, Retrieval

T = TypeVar("T")

_NEEDED = {
    "claim extractor": ("signature", "extract"),
    "evidence source": ("signature", "retrieve"),
    "verifier": ("signature", "needs_evidence", "verify"),
}


def check_part(kind: str, part: object) -> None:
    """Refuse (PartBroken), before anything runs, a part that lacks an attribute of its *kind* or a valid signature."""
    name = type(part).__name__
    for attribute in _NEEDED[kind]:
        if not hasattr(part, attribute):
            raise PartBroken(f"{kind} {name} has no `{attribute}`; needed are: {', '.join(_NEEDED[kind])}")
    signature = getattr(part, "signature", None)
    if not isinstance(signature, str) or not signature or any(c in signature for c in "|\n"):
        raise PartBroken(
            f"{kind} {name}: `signature` must be a text without '|' and line breaks, got {format_value(signature)}"
        )


def extract_checked_claims(part: object, answers: Sequence[Answer]) -> list[list[Claim]]:
    """The claims that the extractor *part* finds; a PartBroken for no list of claims, or a span outside the answer's
    text.
    """
    found: Any = part.extract(answers)  # type: ignore[attr-defined]
    method = f"claim extractor {type(part).__name__}: `extract`"
    _expect(method, found, (list, tuple), f"a list of {len(answers)}")
    for answer, claims in zip(answers, found, strict=True):
        where, length = f" for answer {answer.id!r}", len(answer.prediction)
        _expect(method, claims, (list, tuple), "a list of Claims", where)
        for claim in claims:
            _expect(method, claim, Claim, "a Claim", where)
            _expect(method, claim.text, str, "a Claim whose text is a string", where)
            start, end = claim.start, claim.end
            located = is_whole(start) and is_whole(end) and 0 <= start < end <= length
            if not located and (start, end) != (None, None):
                expected = f"a span inside the text, which has {length} characters"
                _fail(method, expected, f"{start!r} to {end!r}", where)
    return [list(claims) for claims in found]


def retrieve_checked(part: object, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
    """The retrievals of the source *part*; a PartBroken where it returns no retrieval with passages for each claim."""
    found: Any = part.retrieve(claims, answers)  # type: ignore[attr-defined]
    method = f"evidence source {type(part).__name__}: `retrieve`"
    _expect(method, found, (list, tuple), f"a list of {len(claims)}")
    for claim, retrieval in zip(claims, found, strict=True):
        where = f" for claim {claim.text!r}"
        _expect(method, retrieval, Retrieval, "a Retrieval", where)
        _expect(method, retrieval.passages, (list, tuple), "a Retrieval with a tuple of Passages", where)
        for passage in retrieval.passages:
            _expect(method, passage, Passage, "a Retrieval of Passages", where)
            _expect(method, passage.text, str, "a Passage whose text is a string", where)
    return list(found)


def check_judgements(part: object, method: str, stage: Callable[[Sequence[T]], Any]) -> Callable[[Sequence[T]], Any]:
    """*stage*, a method of the verifier *part*, which raises a PartBroken where it gives no judgement for each item."""
    method = f"verifier {type(part).__name__}: `{method}`"

    def checked(items: Sequence[T]) -> Any:
        found = stage(items)
        _expect(method, found, (list, tuple), f"a list of {len(items)}")
        for judgement in found:
            _expect(method, judgement, Judgement, "Judgements")
            for value in (judgement.p_support, judgement.p_contradict):
                if isinstance(value, bool) or not isinstance(value, int | float):
                    _fail(method, "Judgements with numbers as p_support and p_contradict", format_value(value))
            _expect(method, judgement.sentence, (str, type(None)), "Judgements with a string or None as sentence")
        return found

    return checked


def _expect(method: str, value: object, kinds: type | tuple[type, ...], expected: str, where: str = "") -> None:
    if not isinstance(value, kinds):
        _fail(method, expected, format_value(value), where)


def _fail(method: str, expected: str, got: str, where: str = "") -> NoReturn:
    raise PartBroken(f"{method} must return {expected}; it returned {got}{where}")

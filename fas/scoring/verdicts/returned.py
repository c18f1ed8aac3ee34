"""What parts return, checked once where it enters: a part of one's own that errs is named, not its victims.

Shape and types are the part's fault and stop the run. A probability that is none is left to its claim
(`fas.scoring.verdicts.judge`): a verifier may fail on one text and be right about the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn, TypeVar

from fas.core.answers.schema import format_value
from fas.core.checks import is_whole
from fas.core.errors import PartBroken
from fas.core.records import Answer, Claim, Judgement, Passage, Retrieval

T = TypeVar("T")

# What a part has to have; asked for before anything runs.
_NEEDED = {
    "claim extractor": ("signature", "extract"),
    "evidence source": ("signature", "retrieve"),
    "verifier": ("signature", "needs_evidence", "verify"),
}


def check_part(kind: str, part: object) -> None:
    """Refuse (PartBroken) a part that lacks what every part of its kind has, or whose signature cannot stand in one."""
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
    """The claims that the extractor *part* finds.

    Raises:
        PartBroken: They are no list of claims for each answer, or a span lies outside its text.
    """
    found: Any = part.extract(answers)  # type: ignore[attr-defined]
    teller = _Teller("claim extractor", part, "extract")
    teller.length(found, len(answers))
    for answer, claims in zip(answers, found, strict=True):
        where = f"for answer {answer.id!r}"
        teller.expect(claims, (list, tuple), "a list of Claims", where)
        for claim in claims:
            teller.expect(claim, Claim, "a Claim", where)
            teller.expect(claim.text, str, "a Claim whose text is a string", where)
            if claim.start is None and claim.end is None:
                continue
            if not (
                is_whole(claim.start) and is_whole(claim.end) and 0 <= claim.start < claim.end <= len(answer.prediction)
            ):
                teller.fail(
                    f"a span inside the text, which has {len(answer.prediction)} characters",
                    f"{claim.start!r} to {claim.end!r}",
                    where,
                )
    return [list(claims) for claims in found]


def retrieve_checked(part: object, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
    """What the source *part* finds; a PartBroken where it is no retrieval with passages for each claim."""
    found: Any = part.retrieve(claims, answers)  # type: ignore[attr-defined]
    teller = _Teller("evidence source", part, "retrieve")
    teller.length(found, len(claims))
    for claim, retrieval in zip(claims, found, strict=True):
        where = f"for claim {claim.text!r}"
        teller.expect(retrieval, Retrieval, "a Retrieval", where)
        teller.expect(retrieval.passages, (list, tuple), "a Retrieval with a tuple of Passages", where)
        for passage in retrieval.passages:
            teller.expect(passage, Passage, "a Retrieval of Passages", where)
            teller.expect(passage.text, str, "a Passage whose text is a string", where)
    return list(found)


def check_judgements(part: object, method: str, stage: Callable[[Sequence[T]], Any]) -> Callable[[Sequence[T]], Any]:
    """*stage*, a method of the verifier *part*, which raises a PartBroken where it gives no judgement for each item."""
    teller = _Teller("verifier", part, method)

    def checked(items: Sequence[T]) -> Any:
        found = stage(items)
        teller.length(found, len(items))
        for judgement in found:
            teller.expect(judgement, Judgement, "Judgements", "")
            for value in (judgement.p_support, judgement.p_contradict):
                if isinstance(value, bool) or not isinstance(value, int | float):
                    teller.fail("Judgements with numbers as p_support and p_contradict", format_value(value), "")
            teller.expect(judgement.sentence, (str, type(None)), "Judgements with a string or None as sentence", "")
        return found

    return checked


class _Teller:
    """Says what a part did wrong."""

    def __init__(self, kind: str, part: object, method: str) -> None:
        self._who = f"{kind} {type(part).__name__}: `{method}`"

    def length(self, found: Any, n: int) -> None:
        """Refuse what is no list of *n*; one too few or too many may be a single text's fault and is not told here."""
        self.expect(found, (list, tuple), f"a list of {n}", "")

    def expect(self, value: object, kinds: type | tuple[type, ...], expected: str, where: str) -> None:
        """Refuse a value of another type."""
        if not isinstance(value, kinds):
            self.fail(expected, format_value(value), where)

    def fail(self, expected: str, got: str, where: str) -> NoReturn:
        """Say it."""
        raise PartBroken(f"{self._who} must return {expected}; it returned {got}{f' {where}' if where else ''}")

"""No evidence at all, on purpose."""

from __future__ import annotations

from collections.abc import Sequence

from fas.records import Answer, Claim, Retrieval


class NoEvidence:
    """Finds nothing for any claim, honestly: for verifiers that judge from their own knowledge.

    Args:
        argument: Must be None; `none` takes no argument.
        k: Accepted because every evidence source takes it; without effect.

    Raises:
        ValueError: An argument was given.
    """

    signature = "none"

    def __init__(self, *, argument: str | None = None, k: int = 5) -> None:
        if argument is not None:
            raise ValueError(f"evidence `none` takes no argument, got {argument!r}")
        self.k = k

    def retrieve(self, claims: Sequence[Claim], answers: Sequence[Answer]) -> list[Retrieval]:
        """An empty, honest result for every claim."""
        return [Retrieval() for _ in claims]

"""No extraction: every answer must bring its claims."""

from __future__ import annotations

from collections.abc import Sequence

from fas.records import Answer, Claim


class GivenClaims:
    """For runs in which all claims are given; asks no model, and an answer without claims is an error.

    The pipeline never asks it about an answer that brings its claims.
    """

    signature = "given"

    def extract(self, answers: Sequence[Answer]) -> list[list[Claim]]:
        """Nothing for no answer.

        Raises:
            ValueError: There is an answer, which then has no claims of its own.
        """
        if answers:
            raise ValueError("the answer brings no `claims`, and the claim extractor 'given' finds none")
        return []

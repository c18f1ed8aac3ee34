"""The claims of one answer as texts."""

from __future__ import annotations

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer


def texts(extractor: SpacyClauses, prediction: str, question: str | None = None) -> list[str]:
    """What the claims of *prediction* say, each with a place in it."""
    claims = extractor.extract([Answer("1", prediction, question)])[0]
    assert all(prediction[claim.start : claim.end].strip() for claim in claims)
    return [claim.text for claim in claims]

"""The extractor with the embedded parser, loaded once."""

from __future__ import annotations

import pytest

from fas.claims.extractor import SpacyClauses


@pytest.fixture(scope="session")
def extractor() -> SpacyClauses:
    """Without a cache."""
    return SpacyClauses(cache=False)

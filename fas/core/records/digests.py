"""Digests of code and tables, so that a signature changes when what makes a score does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

SHOWN = 8
"""How many characters of a digest a signature shows."""


def digest_of(paths: Iterable[Path], *besides: str) -> str:
    """What *paths* hold and are called, and what *besides* says: a SHA-256 as 64 hexadecimal digits.

    The order counts, the folders do not: an installation elsewhere has the same digest.
    """
    content = hashlib.sha256("\0".join(besides).encode())
    for path in paths:
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()

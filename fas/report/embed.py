"""Data inside a page: JSON in script blocks that nothing in it can leave, and offsets as JavaScript counts."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


def utf16_offsets(text: str) -> Any:
    """A function from code points to UTF-16 units of *text*; None stays None."""
    if text.isascii() or max(text) < "\U00010000":
        return lambda position: position
    units = np.cumsum([0, *(2 if character > "\uffff" else 1 for character in text)])
    return lambda position: None if position is None else int(units[min(position, len(text))])


def script_hash(script: str) -> str:
    """What a Content-Security-Policy allows *script* by, and nothing else: `sha256-...` of its text.

    The text must stand in the page as it is here, line feeds at the ends of its lines.
    """
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")


def script_block(name: str, pieces: Iterable[str]) -> Iterator[str]:
    """*pieces* of JSON as a block of the page; nothing in it can end the block or break a line of script."""
    yield f'<script type="application/json" id="{name}">'
    for piece in pieces:
        yield _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", piece)
    yield "</script>\n"

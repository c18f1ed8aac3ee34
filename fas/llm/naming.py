"""Names of models inside a signature."""

from __future__ import annotations

import re

# What structures a signature; the percent sign itself, so that different names stay different.
_RESERVED = re.compile(r"[|:,\[\]%\s]")


def signature_name(name: str) -> str:
    """*name* without what structures a signature; different names stay different.

    >>> signature_name("llama3.1:8b")
    'llama3.1%3A8b'
    """
    return _RESERVED.sub(lambda match: "".join(f"%{byte:02X}" for byte in match.group().encode()), name)

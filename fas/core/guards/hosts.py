"""Distinguish a host whose name does not resolve from one that is slow or down, and wait less for it."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

PATIENCE_S = 10.0
"""Seconds for which what never worked is tried again: a name that does not resolve, a language model without a usable
reply. What worked once is waited for as usual."""


def is_unresolved(error: BaseException | None) -> bool:
    """Whether *error*, or one of its causes, is a name that could not be resolved."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, socket.gaierror):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def explain_unresolved(url: str, setting: str) -> str:
    """The message about an address whose host cannot be resolved, with advice on what to check.

    >>> explain_unresolved("http://no-such.invalid/v1", "`base_url`").partition(";")[0]
    "the name 'no-such.invalid' cannot be resolved"
    """
    name = urlsplit(url).hostname
    return (
        f"the name {name!r} cannot be resolved; check its spelling in {setting}, and that this machine has a network "
        "and a name server (or the proxy that it needs)"
    )

"""Standard output and error of a command: no secret and no control character of foreign origin gets through."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from fas.core.guards.characters import show_controls
from fas.core.guards.redaction import redact


@contextmanager
def guard_streams() -> Iterator[None]:
    """While open, `sys.stdout` and `sys.stderr` write every text as `escape_for_terminal` gives it."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Guarded(sys.stdout), _Guarded(sys.stderr)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def escape_for_terminal(text: str) -> str:
    """*text* without secrets and control characters."""
    return show_controls(redact(text))


def progress_stream() -> TextIO:
    """Standard error for a progress bar, which moves the cursor; escape foreign text in it first."""
    stream = sys.stderr
    return stream.unguarded if isinstance(stream, _Guarded) else stream


def clear_before_messages(clear: Callable[[], object] | None) -> None:
    """Call *clear* before each line on the terminal, to remove a progress bar from that line."""
    for stream in (sys.stderr, sys.stdout):
        if isinstance(stream, _Guarded) and (stream is sys.stderr or stream.isatty()):
            stream.clear = clear


def stdin_lines() -> Iterator[bytes]:
    """The lines of standard input as UTF-8 in any locale; other bytes spoil only their own line."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
    for line in sys.stdin:
        yield line.encode("utf-8", "surrogateescape")


class _Guarded:
    """A text stream in front of another."""

    def __init__(self, stream: TextIO) -> None:
        self.unguarded: TextIO = stream.unguarded if isinstance(stream, _Guarded) else stream
        self.clear: Callable[[], object] | None = None
        self._at_start = True

    def write(self, text: str) -> int:
        if self.clear is not None and self._at_start:
            self.clear()
        self._at_start = text.endswith("\n") or (self._at_start and not text)
        self.unguarded.write(escape_for_terminal(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unguarded, name)

"""The few errors of our own.

    FasError                 base of all
    ├── InputError           a file, line or field that cannot be used   (also a ValueError)
    ├── ProfileError         a profile that cannot be used               (also a ValueError)
    ├── EvidenceUnavailable  no evidence source works at all; the run stops and can be resumed
    └── FolderInUse          another run writes the same folder

Callers' mistakes in arguments are plain ValueError, TypeError and LookupError.
"""

from __future__ import annotations


class FasError(Exception):
    """Base of the errors this package raises on purpose."""


class InputError(FasError, ValueError):
    """An input that cannot be used; the message begins `FILE, line N: field ...`.

    Attributes:
        kind: Short machine-readable kind, e.g. `"json"` or `"missing_prediction"`.
        line: Line number, counted from 1, or None.
        field: Name of the field, or None.
    """

    def __init__(self, message: str, *, kind: str = "input", line: int | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line
        self.field = field


class ProfileError(FasError, ValueError):
    """A profile with an unknown field, a wrong type or an impossible value."""


class EvidenceUnavailable(FasError):
    """Nothing at all could be fetched within the budget; the message says what to do instead."""


class FolderInUse(FasError):
    """Another run holds the lock of the output folder."""

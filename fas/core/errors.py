"""The errors of this package; a mistake in arguments is a plain ValueError, TypeError or LookupError."""

from __future__ import annotations

from fas.core.guards.redaction import redact


class FasError(Exception):
    """Base of the errors this package raises on purpose; no message holds a key or a password of the run."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(redact(arg) if isinstance(arg, str) else arg for arg in args))


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


class RunStopped(FasError):
    """Going on is pointless for every answer alike; the message says what to do, and the run can be resumed."""


class EvidenceUnavailable(RunStopped):
    """Nothing at all could be fetched within the budget; the message says what to do instead."""


class PartUnavailable(RunStopped):
    """A part met an error of the machine or the set-up, which every answer would meet alike."""


class PartBroken(RunStopped):
    """A part lacks what its kind needs, or returns something of another shape or type; the message names it."""


class ModelUnavailable(RunStopped):
    """A language model's endpoint is dead, refuses the key or refuses every request."""


class BudgetExceeded(RunStopped):
    """The next request could exceed the calls, tokens or money allowed; finished replies are in the cache."""


class FolderInUse(FasError):
    """Another run holds the lock of the output folder."""

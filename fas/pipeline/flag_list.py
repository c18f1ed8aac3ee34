"""The safety flags of answers, for a terminal and for programs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fas.core.answers.files import BadLine
from fas.core.checks import agree, count_of
from fas.core.records import Answer, Flag, RecordError
from fas.core.records.as_json import error_dict, flag_dict
from fas.pipeline import make_error, split_into_chunks
from fas.pipeline.runs.loop import run_each_alone
from fas.safety.checker import SafetyChecker
from fas.scoring.aggregate import UNCOUNTED

_CHUNK = 64


@dataclass(frozen=True, slots=True)
class ListedFlags:
    """The flags of one answer, or why it has none.

    Attributes:
        item: The answer, or the line that is none.
        flags: Its flags.
        error: What kept it from being checked.
    """

    item: Answer | BadLine
    flags: tuple[Flag, ...] = ()
    error: RecordError | None = None

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        record = {"id": self.item.id, "flags": [flag_dict(flag) for flag in self.flags]}
        return record if self.error is None else record | {"error": error_dict(self.error)}

    def as_text(self) -> str:
        """For people; of an error its message."""
        if not isinstance(self.item, Answer) or self.error is not None:
            whose = f"answer {self.item.id!r}: " if isinstance(self.item, Answer) else ""
            return whose + ("" if self.error is None else self.error.message)
        lines = [f"{self.item.id}: {len(self.flags)} flag{'' if len(self.flags) == 1 else 's'}"]
        for flag in self.flags:
            status = f" [{flag.status}]" if flag.status else ""
            quoted = " ".join(self.item.prediction[flag.start : flag.end].split())
            lines.append(f"  {flag.severity:6} {flag.code}{status}: {flag.message}")
            lines.append(f"         {flag.start}-{flag.end}: {quoted!r}")
        return "\n".join(lines)


@dataclass(slots=True)
class FlagTally:
    """What the flags of several answers come to; flags that no rate counts (`UNCOUNTED`) are left out.

    Attributes:
        answers: Answers that were checked.
        flagged: Of these, the answers with a flag.
        flags: All flags.
        high: Flags of high severity.
        failed: Answers that could not be checked.
    """

    answers: int = 0
    flagged: int = 0
    flags: int = 0
    high: int = 0
    failed: int = 0

    def add(self, listed: ListedFlags) -> None:
        """Count one answer more."""
        if listed.error is not None:
            self.failed += 1
            return
        counted = [flag for flag in listed.flags if flag.status not in UNCOUNTED]
        self.answers += 1
        self.flagged += bool(counted)
        self.flags += len(counted)
        self.high += sum(flag.severity == "high" for flag in counted)

    def in_words(self) -> str:
        """The result in a sentence.

        >>> FlagTally(answers=34, flagged=5, flags=6, high=2).in_words()
        '5 of 34 answers have a flag; 2 of 6 flags are of high severity'
        """
        are, have = agree(self.high, "is", "are"), agree(self.flagged, "has", "have")
        high = f"; {self.high} of {count_of(self.flags, 'flag')} {are} of high severity" if self.flags else ""
        failed = f"; {count_of(self.failed, 'answer')} could not be checked" if self.failed else ""
        return f"{self.flagged} of {count_of(self.answers, 'answer')} {have} a flag{high}{failed}"


def list_flags(
    items: Iterable[Answer | BadLine], checker: SafetyChecker, *, seconds: float = 60, without: Iterable[str] = ()
) -> Iterator[ListedFlags]:
    """The flags of each answer, in order.

    Args:
        items: Answers, and lines that are none.
        checker: What raises flags.
        seconds: What one answer may take; then it is an error. 0 sets no end.
        without: Flags and codes to leave out.

    Raises:
        ValueError: *seconds* is negative or not finite.
    """
    if not 0 <= seconds < math.inf:
        raise ValueError(f"--text-timeout must be seconds, 0 or more, got {seconds}")
    left_out = set(without)

    def list_item(item: Answer, found: Sequence[Flag]) -> ListedFlags:
        return ListedFlags(item, tuple(flag for flag in found if not {flag.flag, flag.code} & left_out))

    def list_failure(item: Answer | BadLine, error: Exception) -> ListedFlags:
        known = item.as_error() if isinstance(item, BadLine) else make_error(item, error, "prediction")
        return ListedFlags(item, error=known)

    check = run_each_alone(checker.check, list_item, list_failure, seconds=seconds)
    for chunk in split_into_chunks(items, _CHUNK):
        yield from check(chunk)

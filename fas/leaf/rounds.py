"""The files of one round: its answers, which grow by appending, and what the check of them wrote.

round-N/answers.jsonl    the answers, as `fas score` takes them
round-N/scores.jsonl     the check of them; run.json, report.json, report.html beside it
round-N/evidence.jsonl   what each claim got (`fas.evidence.snapshot`)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fas.core.errors import InputError
from fas.core.files.own import SCORES, another_folder, check_no_input, exists_any
from fas.core.records.stored import AnswerRecord
from fas.pipeline.runs.lines import Lines
from fas.results import check_record


def check_free(inputs: Sequence[Path], settings: Path, written: Sequence[Path], what: str) -> None:
    """Refuse to write over an input, or over files of a folder in which no *settings* say that *what* made it.

    Raises:
        InputError: The run would.
    """
    check_no_input(inputs, [settings, *written])
    if not settings.exists() and (other := exists_any(written)):
        raise InputError(f"{other}: is there already, and not of {what}; {another_folder()}", kind="other_run")


class Checks(Lines):
    """The `scores.jsonl` of answers, read by id."""

    def get(self, identifier: str) -> AnswerRecord | None:
        """The check of the answer called *identifier*, or None."""
        record = super().get(identifier)
        return None if record is None else check_record(dict(record), f"{self.path}: {identifier!r}")


class RevisionRound:
    """One round of answers and their check.

    *number*: 0 for the first answers.
    """

    def __init__(self, out: Path, number: int) -> None:
        self.number = number
        self.path = out / f"round-{number}"
        self.answers = Lines(self.path / "answers.jsonl")
        self.scores = Checks(self.path / SCORES)
        self.evidence = self.path / "evidence.jsonl"

    def reload(self) -> None:
        """Read the check anew, after it was made or made again."""
        self.scores = Checks(self.path / SCORES)

"""A run over answers in memory, written into a folder as `fas score` writes one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict

from fas._version import __version__
from fas.pipeline import Pipeline
from fas.records import Answer, AnswerScore, Report
from fas.runs.folder import RunFolder


class Written:
    """What a run of *answers* with *pipeline* writes into *folder*.

    Lines of an earlier, unfinished run of the same answers and settings are exchanged for the new ones.

    Raises:
        InputError: The folder holds results made with other settings or from other answers, or files that no run is
            known to have made.
    """

    def __init__(self, folder: RunFolder, answers: Sequence[Answer], pipeline: Pipeline) -> None:
        self._folder, self._k = folder, pipeline.profile.k
        settings = {"input": _digest(answers), "k": str(self._k), **pipeline.settings(), "v": __version__}
        self._there = folder.resume(settings, source=pipeline.evidence.absolute()) | folder.unverified

    def add(self, scores: Sequence[AnswerScore]) -> None:
        """Write the lines of *scores*; on return they are on disk."""
        new = [score for score in scores if score.answer.id not in self._there]
        again = [score for score in scores if score.answer.id in self._there]
        if again:
            self._folder.redo([score.as_dict(self._k) for score in again])
        if new:
            self._folder.append([score.as_dict(self._k) for score in new])

    def finish(self, report: Report) -> None:
        """Write the report."""
        self._folder.settle()
        self._folder.write_report(report)


def _digest(answers: Sequence[Answer]) -> str:
    found = hashlib.sha256()
    for answer in answers:
        line = json.dumps(asdict(answer), sort_keys=True, default=str)
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()

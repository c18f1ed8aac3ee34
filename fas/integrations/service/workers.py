"""The process that does the service's work; it can end at any moment, and another takes its place.

A regular expression that never ends, or a library that hangs, holds a thread for good, but not a process. The operating
system ends the process if a piece of work exceeds its processor time (an uncaught timer signal), the parent if it
exceeds its wall time.
"""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, get_context
from typing import Any, Self

from fas.core.answers.schema import ask_meant, find_misnamed_fields
from fas.core.errors import FasError, InputError, PartUnavailable
from fas.core.guards.redaction import remember_environment
from fas.core.profile import Profile
from fas.core.records import Answer
from fas.core.records.as_json import error_dict, flag_dict
from fas.core.records.evidence_source import EVIDENCE_CHOICES
from fas.llm.parts import has_budget
from fas.pipeline.runs.processes import describe_exit, ignore_interrupts
from fas.pipeline.runs.worker import end_with_parent, make_portable

_READY_SECONDS = 600.0
"""The limit of loading; weights may come from a slow disk."""


@dataclass(frozen=True, slots=True)
class WorkLimits:
    """Limits of one piece of work, in seconds: of each stage on one text (`text_timeout`), processor and wall time."""

    text: float = 10.0
    processor: float = 60.0
    clock: float = 120.0


class WorkTooLongError(FasError):
    """A piece of work exceeded its time and was ended."""


class WorkerLostError(FasError):
    """The process ended during a piece of work: it was killed, or ran out of memory."""


class ServiceWorker:
    """One process with a loaded scorer and safety checker, which serves one thread at a time.

    Attributes:
        ready: Whether it has loaded.
        n_ended: Processes that ended and were replaced.
    """

    def __init__(self, profile: Profile, limits: WorkLimits, *, offline: bool = False) -> None:
        text = min(profile.text_timeout or math.inf, limits.text)
        self._profile = profile.override(text_timeout=text)
        self._limits, self._offline = limits, offline
        self._context = get_context("spawn")
        self._turn = threading.Lock()
        self._guard = threading.Lock()  # of starting and ending
        self._closed = False
        self._since: float | None = None
        self.ready = False
        self.n_ended = 0
        self._start()

    @property
    def busy_seconds(self) -> float:
        """Seconds since its piece of work (or loading) began; 0 without one."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    def score(self, answers: Sequence[Answer]) -> tuple[list[dict[str, Any]], str]:
        """The records of *answers* as in `scores.jsonl`, and the signature.

        Raises:
            WorkTooLongError: A limit was exceeded; another process takes its place.
            WorkerLostError: The process ended by itself; another takes its place.
            FasError: As `Scorer.score`, like ValueError.
        """
        if self._profile.evidence is None and any(answer.passages is None for answer in answers):
            misnamed = (name for answer in answers for name in find_misnamed_fields(answer))
            raise InputError(
                "no evidence: send `passages` with the answer, or start the service with --evidence "
                f"({EVIDENCE_CHOICES}){ask_meant(misnamed, 'passages')}",
                kind="evidence",
                field="passages",
            )
        found: tuple[list[dict[str, Any]], str] = self._ask("score", answers)
        return found

    def safety(self, answers: Sequence[Answer]) -> list[dict[str, Any]]:
        """The `id` and `flags` of each answer, and its `error` if it could not be checked; raises as `score`."""
        found: list[dict[str, Any]] = self._ask("safety", answers)
        return found

    def load(self) -> None:
        """Wait until it has loaded; if it cannot load, raise FasError or ValueError. The next call tries again."""
        with self._turn:
            self._load()

    def close(self) -> None:
        """End the process at once."""
        with self._guard:
            self._closed = True
            self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _load(self) -> None:
        if self.ready:
            return
        if self._lost_budget:
            raise PartUnavailable(
                "the process that counted the cost of language models has ended, and its count is lost; restart the "
                "service with the remaining budget"
            )
        if not self._process.is_alive():
            self._start()
        self._since = time.monotonic()
        try:
            self._receive(_READY_SECONDS)
            self.ready = True
        finally:
            self._since = None

    def _ask(self, kind: str, answers: Sequence[Answer]) -> Any:
        with self._turn:
            self._load()
            self._since = time.monotonic()
            try:
                with suppress(OSError):  # `_receive` raises it
                    self._pipe.send((kind, list(answers)))
                return self._receive(self._limits.clock)
            finally:
                self._since = None

    @property
    def _lost_budget(self) -> bool:
        return self.n_ended > 0 and has_budget(self._profile.llm)

    def _receive(self, seconds: float) -> Any:
        """The next message of the process; if none comes, another process takes its place."""
        try:
            if not self._pipe.poll(seconds):
                self._replace()
                raise WorkTooLongError(f"the work took longer than {seconds:g} s and was ended (--max-seconds)")
            done, value = self._pipe.recv()
        except (EOFError, OSError):
            self._process.join(10)
            code = self._process.exitcode
            self._replace()
            if code == -signal.SIGPROF:
                raise WorkTooLongError(
                    f"the work took more than {self._limits.processor:g} s of processor time and was ended "
                    "(--max-processor-seconds)"
                ) from None
            raise WorkerLostError(
                f"the process that did the work {describe_exit(code)}; another takes its place"
            ) from None
        if done:
            return value
        raise value

    def _replace(self) -> None:
        with self._guard:
            self.n_ended += 1
            self._end()
            self._start()

    def _start(self) -> None:
        if self._closed or self._lost_budget:
            return
        self._pipe, theirs = self._context.Pipe()
        arguments = (theirs, self._profile, self._limits.processor, self._offline)
        self._process = self._context.Process(target=_serve, args=arguments, daemon=True, name="fas-service-worker")
        with ignore_interrupts():
            self._process.start()
        theirs.close()

    def _end(self) -> None:
        self.ready = False
        self._process.kill()
        self._process.join()


def _serve(pipe: connection.Connection, profile: Profile, seconds: float, offline: bool) -> None:
    """The process: load, report it, then work until the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    os.dup2(2, 1)  # standard output is the protocol's, where an assistant is served
    end_with_parent()
    remember_environment()
    try:
        work = _load(profile, offline=offline)
    except Exception as error:
        pipe.send((False, make_portable(error)))
        return
    pipe.send((True, None))
    with suppress(EOFError, OSError):
        while True:
            kind, answers = pipe.recv()
            signal.setitimer(signal.ITIMER_PROF, seconds)
            try:
                found = (True, work[kind](answers))
            except Exception as error:
                found = (False, make_portable(error))
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send(found)


def _load(profile: Profile, *, offline: bool) -> Mapping[str, Any]:
    from fas.pipeline import make_error
    from fas.pipeline.runs.scorer import Scorer
    from fas.safety.checker import SafetyChecker
    from fas.scoring.verdicts.isolation import isolate_errors

    scorer = Scorer(profile, offline=offline)
    checker = SafetyChecker()

    def score(answers: Sequence[Answer]) -> tuple[list[dict[str, Any]], str]:
        report = scorer.score(answers)
        return [one.as_dict(scorer.profile.k) for one in report.answers], str(report.signature)

    def safety(answers: Sequence[Answer]) -> list[dict[str, Any]]:
        outcomes = isolate_errors(checker.check, answers, seconds=profile.text_timeout)
        return [
            {"id": answer.id, "flags": [], "error": error_dict(make_error(answer, found, "prediction"))}
            if isinstance(found, Exception)
            else {"id": answer.id, "flags": [flag_dict(flag) for flag in found]}
            for answer, found in zip(answers, outcomes, strict=True)
        ]

    # The models are loaded before the first client comes.
    warm = Answer("1", "Aspirin relieves pain.", question=None, references=("Aspirin relieves pain.",), passages=())
    if not profile.llm and profile.evidence in (None, "passages"):
        score([warm])
    safety([warm])
    return {"score": score, "safety": safety}

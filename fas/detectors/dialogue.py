"""The state of a conversation between a detector and its critics: messages, turns, the end. No model here.

    detector -> harm critic -> explanation critic -> reviewer -> detector -> ...

The detector gives a list of findings, the critics agree or object, the reviewer approves, which ends the talk, or
says what to change. Every message is one request. The talk ends, too, when the detector gives the same list twice
after the same feedback, and at the most messages allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from fas.core.records import Answer
from fas.detectors.records import DetectedFinding, Findings

Role = Literal["detector", "harm", "explanation", "reviewer"]
MAX_MESSAGES = 30
UNREADABLE_AT_MOST = 2
"""So many messages of the detector may be unreadable in a row before there is any list; then the talk is a failure."""

_UNCHANGED = "(The revision could not be read; the list is as it was.)"


@dataclass
class DialogueRound:
    """A list and what was said about it."""

    findings: tuple[DetectedFinding, ...]
    remarks: list[tuple[Role, str]] = field(default_factory=list)
    objections: bool = False


class Dialogue:
    """One conversation of at most *most* messages."""

    def __init__(self, answer: Answer, *, most: int = MAX_MESSAGES) -> None:
        self.answer = answer
        self.turn: Role = "detector"
        self.rounds: list[DialogueRound] = []
        self.n_messages = 0
        self.unread = 0
        self.dropped = 0
        self.left_out: list[str] = []
        self.failure: str | None = None
        self.converged: bool | None = None
        self.over = False
        self.complaint: str | None = None
        self._most = most
        self._unreadable = 0

    @property
    def findings(self) -> tuple[DetectedFinding, ...]:
        """The last list that could be read."""
        return self.rounds[-1].findings if self.rounds else ()

    def listed(self, findings: tuple[DetectedFinding, ...], left_out: Sequence[str] = ()) -> None:
        """The detector gave a list."""
        self.n_messages += 1
        self._unreadable, self.complaint = 0, None
        self.left_out = list(left_out)
        earlier, before = self.rounds[-2:] if len(self.rounds) > 1 else (None, None)
        if earlier and before and before.findings == findings and earlier.remarks == before.remarks:
            self._end(converged=False)  # the same list after the same feedback
            return
        self.rounds.append(DialogueRound(findings))
        # There is nothing for a critic to look at in an empty list.
        self._next("harm" if findings else "reviewer")

    def unlisted(self, reason: str) -> None:
        """The detector's message could not be read: the last list stays, or it is asked again with the reason."""
        self.n_messages += 1
        self.unread += 1
        self._unreadable += 1
        if self.rounds:
            # The list before stands; the reviewer is told so, and what was said about it stays in the discussion.
            self.rounds.append(DialogueRound(self.findings, [("detector", _UNCHANGED)]))
            self._next("reviewer")
            return
        self.complaint = reason
        if self._unreadable >= UNREADABLE_AT_MOST:
            self.failure = f"the detector gave no list that could be read: {reason}"
            self._end(converged=False)
            return
        self._next("detector")

    def failed(self, reason: str) -> None:
        """A request brought no reply at all: the talk is a failure, and goes on from there when it is tried again."""
        self.n_messages += 1
        self.failure = reason
        self._end(converged=False)

    def add_criticism(self, remark: str | None) -> None:
        """A critic agreed (None) or objected."""
        self.n_messages += 1
        role = self.turn
        if remark is not None:
            self.rounds[-1].remarks.append((role, remark))
            self.rounds[-1].objections = True
        self._next("explanation" if role == "harm" else "reviewer")

    def add_unreadable(self) -> None:
        """A message of a critic or of the reviewer could not be read: no objection, and it is counted."""
        self.unread += 1
        if self.turn != "reviewer":
            self.add_criticism(None)
        elif self.rounds[-1].objections:
            # What the critics said still stands; the detector gets it without an instruction.
            self.n_messages += 1
            self._next("detector")
        else:
            self.add_review(None)

    def add_review(self, instruction: str | None) -> None:
        """The reviewer approved (None) or said what to change."""
        self.n_messages += 1
        if instruction is None:
            self._end(converged=True)
            return
        self.rounds[-1].remarks.append(("reviewer", instruction))
        self._next("detector")

    def result(self) -> Findings:
        """What the talk came to."""
        return Findings(
            self.answer.id,
            () if self.failure is not None else self.findings,
            failure=self.failure,
            left_out=tuple(self.left_out),
            converged=self.converged,
            n_messages=self.n_messages,
            dropped=self.dropped,
            unread=self.unread,
        )

    def _next(self, role: Role) -> None:
        self.turn = role
        if self.n_messages >= self._most and not self.over:
            if not self.rounds:
                self.failure = "the detector gave no list that could be read"
            self._end(converged=False)

    def _end(self, *, converged: bool) -> None:
        self.over, self.converged = True, converged

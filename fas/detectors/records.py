"""Findings, a line of findings for each answer, and members: a detector's lines over a set of answers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, get_args

from fas.core.records.stored import FindingRecord, FindingsRecord, Harm

HARMS: tuple[Harm, ...] = get_args(Harm)


class Part(NamedTuple):
    """What one member contributed to a cluster."""

    member: str
    finding: DetectedFinding


@dataclass(frozen=True, slots=True)
class DetectedFinding:
    """A place in an answer that a detector calls wrong.

    Attributes:
        snippet: The words of the answer, as the detector gave them.
        explanation: Why they are wrong; may be empty.
        start: Their first character in the prediction (code points), or None if they are not there.
        end: One past the last character, or None.
        harm: The harm to a patient who believes it, or None if the detector names no level.
        confidence: In [0, 1]: the detector's own number, or the score of a cluster.
        tags: Faults of the finding itself that a program can detect (`fas.detectors.rules`).
        claim: The false claim in its own words, from a detector that verifies claims; else None.
        by: The parts of a cluster; empty for a single finding.
        deleted_by: The rule that deleted it, or None.
    """

    snippet: str
    explanation: str
    start: int | None = None
    end: int | None = None
    harm: Harm | None = None
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    claim: str | None = None
    by: tuple[Part, ...] = ()
    deleted_by: str | None = None

    def spans(self) -> list[tuple[int, int]]:
        """Every place it points to: its own, and those of all its parts, each once."""
        found = [(self.start, self.end), *((part.finding.start, part.finding.end) for part in self.by)]
        return list(dict.fromkeys((a, b) for a, b in found if a is not None and b is not None))

    def as_dict(self) -> dict[str, Any]:
        """As `findings.jsonl` has it."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def finding_from(record: FindingRecord) -> DetectedFinding:
    """The finding that `as_dict` wrote."""
    parts = tuple(Part(part["member"] or "", finding_from(part)) for part in record["by"])
    return DetectedFinding(
        record["snippet"], record["explanation"], record["start"], record["end"], record["harm"], record["confidence"],
        tuple(record["tags"]), record["claim"], parts, record["deleted_by"],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Findings:
    """One member's findings on one answer; a line of `findings.jsonl`.

    Attributes:
        id: The answer.
        findings: Empty if the member finds nothing wrong.
        failure: Why the member has no opinion on this answer (it abstains), or None.
        deleted: Findings that rules deleted.
        left_out: A reason for each unusable finding of a reply.
        converged: Whether a conversation ended in agreement; None without a conversation.
        n_messages: Requests.
        dropped: Rounds of a conversation that later prompts had no room for.
        unread: Unreadable messages of a conversation, which count as no objection.
        score: A combination's score of the answer; None for a single member.
        baselines: A combination's scores without alignment, by name.
        abstained: Members of a combination without an opinion on this answer.
    """

    id: str
    findings: tuple[DetectedFinding, ...] = ()
    failure: str | None = None
    deleted: tuple[DetectedFinding, ...] = ()
    left_out: tuple[str, ...] = ()
    converged: bool | None = None
    n_messages: int = 0
    dropped: int = 0
    unread: int = 0
    score: float | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)
    abstained: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """As `findings.jsonl` has it, without the answer's own fields."""
        return {one.name: _plain(getattr(self, one.name)) for one in fields(self)}


def _plain(value: Any) -> Any:
    if isinstance(value, Part):
        return {"member": value.member, **value.finding.as_dict()}
    if isinstance(value, DetectedFinding):
        return value.as_dict()
    if isinstance(value, Mapping):
        return dict(value)
    return [_plain(one) for one in value] if isinstance(value, tuple) else value


def findings_from(record: FindingsRecord) -> Findings:
    """The line that `as_dict` wrote."""
    return Findings(
        record["id"], tuple(map(finding_from, record["findings"])), record["failure"],
        tuple(map(finding_from, record["deleted"])), tuple(record["left_out"]), record["converged"],
        record["n_messages"] or 0, record["dropped"] or 0, record["unread"] or 0, record["score"],
        record["baselines"], tuple(record["abstained"]),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Member:
    """One detector's run over a set of answers.

    Attributes:
        name: Unique in a combination.
        family: The name that its runs share, for weights; the name itself for a single run.
        run: Number of the run in its family, from 0.
        signature: Pins the member; no `|`, `:` or line break.
        answers: Answer to its line, in the order of the file.
        texts: Answer to a hash of its text, so that members on other texts are not combined.
    """

    name: str
    family: str
    run: int
    signature: str
    answers: Mapping[str, Findings]
    texts: Mapping[str, str] = field(default_factory=dict)


def answer_score(findings: Findings) -> float:
    """The answer's score in [0, 1]: that of a combination, else the highest confidence; 0 with no finding.

    NaN where the member abstains: a failure says nothing of the answer.
    """
    if findings.failure is not None:
        return math.nan
    if findings.score is not None:
        return findings.score
    return max((one.confidence for one in findings.findings), default=0.0)


def count_findings(lines: Sequence[Findings]) -> dict[str, int]:
    """The counts of a member's lines."""
    known = [line for line in lines if line.failure is None]
    return {
        "n": len(lines),
        "n_failed": len(lines) - len(known),
        "n_with_findings": sum(bool(line.findings) for line in known),
        "n_findings": sum(len(line.findings) for line in known),
        "n_left_out": sum(len(line.left_out) for line in known),
        "n_not_in_answer": sum(one.start is None for line in known for one in line.findings),
        "n_unconverged": sum(line.converged is False for line in known),
        "n_messages": sum(line.n_messages for line in lines),
    }


def median_harm(levels: Iterable[Harm | None]) -> Harm | None:
    """The median of the levels that are given, the upper one of two; None where none is.

    >>> median_harm(["low", "high", None]), median_harm(["low", "high", "none"]), median_harm([])
    ('high', 'low', None)
    """
    known = sorted(HARMS.index(level) for level in levels if level is not None)
    return HARMS[known[len(known) // 2]] if known else None


def filter_by_harm(findings: Sequence[DetectedFinding], least: Harm | None) -> tuple[DetectedFinding, ...]:
    """Those of at least this harm; one whose harm is not known stays."""
    if least is None:
        return tuple(findings)
    return tuple(one for one in findings if one.harm is None or HARMS.index(one.harm) >= HARMS.index(least))

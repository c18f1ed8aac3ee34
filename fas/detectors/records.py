"""What detectors yield: findings, a line of findings for each answer, and a member, which is a folder of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, cast

Harm = Literal["none", "very low", "low", "medium", "high"]
HARMS: tuple[Harm, ...] = ("none", "very low", "low", "medium", "high")


class Part(NamedTuple):
    """What one member contributed to a cluster."""

    member: str
    finding: DetectedFinding


@dataclass(frozen=True, slots=True)
class DetectedFinding:
    """A place in an answer that is said to be wrong.

    Attributes:
        snippet: The words of the answer, as the detector gave them.
        explanation: What is wrong with them; may be empty.
        start: Where they begin in the prediction (code points), or None where they were not found there.
        end: One past the last character, or None.
        harm: What believing it could do to a patient, or None where the detector does not say.
        confidence: In [0, 1]: the detector's own number, or the score of a cluster.
        tags: Faults of the finding itself that a program can see (`fas.detectors.tags`).
        by: Of a cluster, what each member contributed; empty for a single finding.
        deleted_by: The rule that deleted it, or None.
        claim: The claim that is false, in its own words, where the detector verifies claims; None for others.
    """

    snippet: str
    explanation: str
    start: int | None = None
    end: int | None = None
    harm: Harm | None = None
    confidence: float = 1.0
    tags: tuple[str, ...] = ()
    by: tuple[Part, ...] = ()
    deleted_by: str | None = None
    claim: str | None = None

    def spans(self) -> list[tuple[int, int]]:
        """Every place it points to: its own, and those of all its parts, each once."""
        found = [(self.start, self.end), *((part.finding.start, part.finding.end) for part in self.by)]
        return list(dict.fromkeys((a, b) for a, b in found if a is not None and b is not None))

    def as_dict(self) -> dict[str, Any]:
        """As `findings.jsonl` has it."""
        own: dict[str, Any] = {
            "snippet": self.snippet,
            "explanation": self.explanation,
            "start": self.start,
            "end": self.end,
            "harm": self.harm,
            "confidence": self.confidence,
            "tags": list(self.tags),
        }
        if self.claim is not None:
            own["claim"] = self.claim
        if self.by:
            own["by"] = [{"member": part.member, **part.finding.as_dict()} for part in self.by]
        if self.deleted_by is not None:
            own["deleted_by"] = self.deleted_by
        return own


def finding_from(record: Mapping[str, Any]) -> DetectedFinding:
    """The finding that `as_dict` wrote.

    Raises:
        ValueError: It is none; the message names the field.
    """
    snippet, explanation = record.get("snippet"), record.get("explanation")
    if not isinstance(snippet, str) or not isinstance(explanation, str):
        raise ValueError("a finding needs the strings `snippet` and `explanation`")
    harm = record.get("harm")
    if harm is not None and harm not in HARMS:
        raise ValueError(f"`harm` must be one of {', '.join(HARMS)} or null, got {harm!r}")
    confidence = record.get("confidence", 1.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        raise ValueError(f"`confidence` must be a number in [0, 1], got {confidence!r}")
    start, end = record.get("start"), record.get("end")
    if (start is None) != (end is None) or (start is not None and not _is_span(start, end)):
        raise ValueError(f"`start` and `end` must be a span in code points, or both null, got {start!r} and {end!r}")
    return DetectedFinding(
        snippet,
        explanation,
        start,
        end,
        cast("Harm | None", harm),
        float(confidence),
        tuple(map(str, record.get("tags") or ())),
        tuple(Part(str(part["member"]), finding_from(part)) for part in record.get("by") or ()),
        record.get("deleted_by"),
        None if record.get("claim") is None else str(record["claim"]),
    )


def _is_span(start: Any, end: Any) -> bool:
    whole = all(isinstance(value, int) and not isinstance(value, bool) for value in (start, end))
    return whole and 0 <= start <= end


@dataclass(frozen=True, slots=True)
class Findings:
    """What one member says of one answer; a line of `findings.jsonl`.

    Attributes:
        id: The answer.
        findings: What it found; empty for an answer that it finds nothing wrong with.
        failure: Why it has no opinion on this answer, or None. A member that failed abstains.
        deleted: Findings that rules deleted, each with the rule's name.
        left_out: Why findings of a reply could not be used, one reason each.
        converged: Of a conversation, whether it ended in agreement; None where there was none.
        n_messages: Requests that it took.
        dropped: Rounds of a conversation that later prompts had no room for.
        unread: Messages of a conversation that could not be read and counted as no objection.
        score: Of a combination, the answer's score; None for a single member, whose score follows from its findings.
        baselines: Of a combination, scores of the answer that need no alignment, by name.
        abstained: Of a combination, members without an opinion on this answer.
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
        return {
            "id": self.id,
            "findings": [one.as_dict() for one in self.findings],
            "failure": self.failure,
            "deleted": [one.as_dict() for one in self.deleted],
            "left_out": list(self.left_out),
            "converged": self.converged,
            "n_messages": self.n_messages,
            "dropped": self.dropped,
            "unread": self.unread,
            "score": self.score,
            "baselines": dict(self.baselines),
            "abstained": list(self.abstained),
        }


def findings_from(record: Mapping[str, Any]) -> Findings:
    """The line that `as_dict` wrote.

    Raises:
        ValueError: A finding of it cannot be used.
    """
    return Findings(
        id=str(record["id"]),
        findings=tuple(map(finding_from, record.get("findings") or ())),
        failure=record.get("failure"),
        deleted=tuple(map(finding_from, record.get("deleted") or ())),
        left_out=tuple(record.get("left_out") or ()),
        converged=record.get("converged"),
        n_messages=int(record.get("n_messages") or 0),
        dropped=int(record.get("dropped") or 0),
        unread=int(record.get("unread") or 0),
        score=record.get("score"),
        baselines=dict(record.get("baselines") or {}),
        abstained=tuple(record.get("abstained") or ()),
    )


@dataclass(frozen=True, slots=True)
class Member:
    """One detector's run over a set of answers.

    Attributes:
        name: Unique in a combination.
        family: What its runs have in common, for weights; the name itself for a member that is no run.
        run: Which of the family's runs, from 0.
        signature: What pins it; no `|`, `:` or line break.
        answers: Answer to what was found, in the order of the file.
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

"""Gold for findings: whether an answer holds a hallucination, and where.

A line of a gold file is {`id`, `hallucination`: true or false, `severity`?, `spans`?: [{`start`, `end`, `severity`?}]};
other fields are left alone, so that an answers file with these fields is one, too. Without `hallucination` an
answer holds one if it has a span. `fas.bench.medexpert` reads MedExpert's annotation export.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from fas.core.answers.formats import read_rows
from fas.core.checks import plain_number
from fas.core.errors import InputError
from fas.detectors.member import FolderPlace, member_records
from fas.results import read_id
from fas.scoring.aggregate import question_key

Severity = Literal["mild", "moderate", "severe", "life-threatening"]
SEVERITIES: tuple[Severity, ...] = ("mild", "moderate", "severe", "life-threatening")


class GoldSpan(NamedTuple):
    """A place that experts marked as wrong."""

    start: int
    end: int
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class GoldFindings:
    """What experts say of an answer.

    Attributes:
        spans: Where; None where the file does not say, though it holds one.
        severity: The worst one, or None.
    """

    hallucination: bool
    spans: tuple[GoldSpan, ...] | None = ()
    severity: Severity | None = None

    def from_severity(self, least: Severity) -> GoldFindings:
        """As if only what is at least so severe had been marked.

        Raises:
            ValueError: It holds a hallucination whose severity is not given.
        """
        spans = self.spans or ()
        if self.hallucination and (any(span.severity is None for span in spans) or not (spans or self.severity)):
            raise ValueError("holds a hallucination of which no severity is given")
        kept = tuple(span for span in spans if _rank(span.severity) >= _rank(least))
        if not spans:
            holds = self.hallucination and _rank(self.severity) >= _rank(least)
            return GoldFindings(holds, None if holds else (), self.severity)
        return GoldFindings(bool(kept), kept, max((span.severity for span in kept), key=_rank, default=None))


@dataclass(frozen=True, slots=True)
class Material:
    """Answers with gold.

    Attributes:
        questions: The question of each, the unit of resampling and folds.
        texts: The answers themselves; needed for sentences.
        without_gold: How many answers were left out.
    """

    ids: tuple[str, ...]
    gold: tuple[GoldFindings, ...]
    questions: tuple[str, ...]
    texts: tuple[str, ...]
    without_gold: int = 0

    def only(self, kept: Sequence[int]) -> Material:
        """The answers in these places."""
        names = ("ids", "gold", "questions", "texts")
        columns: dict[str, Any] = {name: tuple(getattr(self, name)[i] for i in kept) for name in names}
        return replace(self, **columns)


def load_material(
    found: Sequence[FolderPlace],
    gold: Mapping[str, GoldFindings],
    *,
    cluster_by: str | None = None,
    by: str | None = None,
) -> tuple[Material, list[str]]:
    """The answers of the members that have gold, in the order of the files; and the value of *by* of each.

    Raises:
        InputError: None has gold, or a field does not occur.
    """

    def read_meta(record: Mapping[str, Any], name: str, option: str) -> str:
        if name not in record["meta"]:
            there = ", ".join(map(str, record["meta"])) or "none"
            raise InputError(
                f"{place.folder}: {option} {name}: the answer {record['id']!r} has no such field; it has {there}"
            )
        return str(record["meta"][name])

    rows: dict[str, tuple[GoldFindings, str, str, str]] = {}
    seen: set[str] = set()
    for place in found:
        for record in member_records(place.folder):
            name = record["id"]
            if name in gold and name not in seen:
                group = "" if by is None else read_meta(record, by, "--by")
                if cluster_by in (None, "question"):
                    question = question_key(record) or f"answer {name}"
                else:
                    question = read_meta(record, str(cluster_by), "--cluster-by")
                rows[name] = gold[name], question, record["prediction"] or "", group
            seen.add(name)
    if not rows:
        raise InputError(
            f"no answer has gold ({len(seen)} answers, {len(gold)} ids in the gold); they are joined on `id`",
            kind="nothing_in_common",
        )
    golds, questions, texts, groups = zip(*rows.values(), strict=True)
    return Material(tuple(rows), golds, questions, texts, len(seen) - len(rows)), list(groups)


def read_gold(path: Path, *, min_severity: Severity | None = None) -> dict[str, GoldFindings]:
    """Answer to gold.

    *min_severity*: count only what is at least so severe.

    Raises:
        InputError: The file cannot be used; the message has the line and the field.
    """
    found: dict[str, GoldFindings] = {}
    seen: dict[str, int] = {}
    for number, record in read_rows(path, values=("hallucination", "spans")):
        name = read_id(record, path, number, seen)
        seen[name] = number
        found[name] = _gold(record, path, number)
    if not found:
        raise InputError(f"{path}: no gold", kind="empty_file")
    return found if min_severity is None else keep_severe(found, min_severity, str(path))


def keep_severe(gold: Mapping[str, GoldFindings], least: Severity, where: str) -> dict[str, GoldFindings]:
    """Answer to gold as if only what is at least so severe had been marked.

    Raises:
        InputError: Of a hallucination no severity is given.
    """
    found = {}
    for name, one in gold.items():
        try:
            found[name] = one.from_severity(least)
        except ValueError as error:
            raise InputError(f"{where}: the answer {name!r} {error}; --min-severity needs it", kind="gold") from error
    return found


def _gold(record: Mapping[str, Any], path: Path, number: int) -> GoldFindings:
    def fail(field: str, problem: str) -> InputError:
        return InputError(f"{path}, line {number}: field {field!r}: {problem}", kind="gold", line=number, field=field)

    holds, listed = record.get("hallucination"), record.get("spans")
    if holds is None and listed is None:
        raise fail("hallucination", "missing; expected true or false, or `spans`")
    if holds is not None and not isinstance(holds, bool):
        raise fail("hallucination", f"expected true or false, got {holds!r}")
    if listed is not None and not isinstance(listed, list):
        raise fail("spans", f"expected a list of {{start, end}}, got {listed!r}")
    spans = []
    for one in listed or ():
        start, end = (plain_number(one.get(key)) if isinstance(one, dict) else None for key in ("start", "end"))
        whole = all(isinstance(value, int) and not isinstance(value, bool) for value in (start, end))
        if not whole or not 0 <= cast(int, start) < cast(int, end):
            raise fail("spans", f"expected {{start, end}} in code points with start < end, got {one!r}")
        spans.append(GoldSpan(cast(int, start), cast(int, end), _severity(one.get("severity"), fail)))
    severity = _severity(record.get("severity"), fail)
    if holds is False and spans:
        raise fail("spans", "spans given, but `hallucination` is false")
    worst = max([*(span.severity for span in spans), severity], key=_rank)
    if holds and not spans:
        return GoldFindings(True, None, worst)
    return GoldFindings(bool(spans), tuple(spans), worst)


def _severity(value: Any, fail: Any) -> Severity | None:
    if value is None:
        return None
    word = str(value).strip().lower().replace("_", "-").replace(" ", "-")
    if word not in SEVERITIES:
        raise fail("severity", f"expected one of {', '.join(SEVERITIES)}, got {value!r}")
    return word


def _rank(severity: Severity | None) -> int:
    return -1 if severity is None else SEVERITIES.index(severity)

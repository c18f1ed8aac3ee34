"""`fas audit`: what a log says, beside what evidence says of the same answers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import check_outside, replace_file
from fas.integrations.logs.reading import Log, read_logs
from fas.integrations.logs.scores import LoggedScore, compare_systems, summarise_scores
from fas.report.tables import interval, json_ready, number, text_table, wrap_paragraph


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found; each part is JSON-ready but for NaN.

    Attributes:
        log: The log.
        scores: Its scores again.
        differences: Its systems compared.
        notes: What a reader must know.
    """

    log: Log
    scores: Sequence[LoggedScore]
    differences: Sequence[Mapping[str, Any]]
    notes: Sequence[str]

    def as_dict(self) -> dict[str, Any]:
        """What `audit.json` holds; null where a value is undefined."""
        found: dict[str, Any] = json_ready(
            {
                "logs": [str(path) for path in self.log.paths],
                "format": self.log.form,
                "n": len(self.log.answers),
                "n_questions": len({one.unit for one in self.log.answers}),
                "n_without_answer": sum(one.prediction is None for one in self.log.answers),
                "scores": [one.as_dict() for one in self.scores],
                "differences": list(self.differences),
                "notes": list(self.notes),
            }
        )
        return found

    def as_text(self) -> str:
        """A table for people."""
        rows = [
            [
                one.name + (f" ({one.system})" if one.system else ""),
                number(one.mean.mean),
                interval(one.mean.low, one.mean.high, how=one.mean.how),
                number(one.stored),
                *map(str, (one.mean.n, one.n_units, one.n_failed, one.n_missing)),
                ", ".join(one.judges) or "-",
            ]
            for one in self.scores
        ]
        header = ["score", "mean", "95% interval", "as stored", "n", "questions", "failed", "missing", "judge"]
        lines = [f"{self.log.form}: {len(self.log.answers)} answers", "", text_table(header, rows), ""]
        lines += [wrap_paragraph(note, bullet="! ") for note in self.notes]
        return "\n".join(lines)


def audit_logs(
    paths: Sequence[Path],
    out: Path,
    *,
    metrics: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
) -> Audit:
    """Audit the logs at *paths* and write `audit.html` and `audit.json` into *out*.

    Args:
        paths: Logs of one or several systems.
        out: The folder of the results.
        metrics: Only these scores of the log.
        columns: For tables: field of an answer to the column it is read from.

    Raises:
        InputError: A log cannot be read, or has no such score.
    """
    for path in paths:
        check_outside(path, out)
    log = read_logs(paths, columns=columns)
    chosen = _choose_metrics(log, metrics)
    scores = summarise_scores(log, chosen)
    found = Audit(log, scores, compare_systems(log, chosen), _notes(log, scores))
    _write(found, out)
    return found


def _choose_metrics(log: Log, wanted: Sequence[str]) -> list[str]:
    for name in wanted:
        if name not in log.metrics:
            raise InputError(f"--metric {name}: the log has no such score; there are: {', '.join(log.metrics)}")
    return list(wanted) or log.metrics


def _notes(log: Log, scores: Sequence[LoggedScore]) -> list[str]:
    found = []
    if not scores:
        found.append("The log has no score: its answers are checked, and nothing is compared.")
    lost = sum(one.prediction is None for one in log.answers)
    if lost:
        why = Counter(one.error or "the log has no text" for one in log.answers if one.prediction is None)
        found.append(f"{lost} of {len(log.answers)} answers have no text: {why.most_common(1)[0][0]}.")
    for one in scores:
        whose = one.name + (f" of {one.system}" if one.system else "")
        if one.n_failed:
            moved = one.stored - one.mean.mean
            counted = (
                f"; the log has numbers for them, which moves its mean by {moved:+.3f}" if abs(moved) > 5e-4 else ""
            )
            found.append(f"{whose}: {one.n_failed} of {one.n} judgements failed and are in no mean here{counted}.")
        if one.n_missing:
            found.append(f"{whose}: {one.n_missing} of {one.n} answers have no judgement, and no reason is logged.")
        if one.alike:
            found.append(f"{whose}: {', '.join(one.alike)} judged its own answers.")
    repeated = len(log.answers) - len({(one.system, one.unit) for one in log.answers})
    if repeated:
        found.append(
            f"{repeated} answers repeat a question of their system: each question is one unit of the intervals."
        )
    return found


def _write(found: Audit, out: Path) -> None:
    from fas.integrations.logs.page import render_page

    out.mkdir(parents=True, exist_ok=True)
    with replace_file(out / "audit.json") as file:
        file.write(json.dumps(found.as_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    with replace_file(out / "audit.html", errors="replace") as file:
        file.write(render_page(found))

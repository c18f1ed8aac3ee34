"""`fas audit`: the scores of a log beside the evidence for the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import check_outside, replace_file, write_json
from fas.core.profile import Profile
from fas.core.records import AnswerScore
from fas.integrations.logs.beside import FOLDER, Apart, check_claims, compare_with_claims
from fas.integrations.logs.judge import ask_again, follow_features
from fas.integrations.logs.reading import Log, read_logs
from fas.integrations.logs.scores import LoggedScore, compare_systems, correct_score, read_labels, summarise_scores
from fas.llm import ChatModel
from fas.report.tables import interval, json_ready, number, text_table, wrap_paragraph


@dataclass(slots=True)
class Audit:
    """The result of an audit; each part is JSON-ready but for NaN.

    Attributes:
        scores: The log's scores, computed again.
        main: The score that is examined most closely: the first one given by a language model, else the first.
        differences: Systems compared in pairs.
        agreement: How far each score and evidence order the answers alike.
        apart: The answers by `main`, worst first.
        features: Correlations of each score with the form of the answers.
        reasked: The result of asking a judge again for `main`; None without `--reask`.
        replies: Each answer's scores in it.
        corrected: The scores corrected by labels.
        notes: What a reader must know.
    """

    log: Log
    scores: Sequence[LoggedScore]
    main: str = ""
    differences: Sequence[Mapping[str, Any]] = ()
    agreement: list[dict[str, Any]] = field(default_factory=list)
    apart: Sequence[Apart] = ()
    features: list[dict[str, Any]] = field(default_factory=list)
    reasked: Mapping[str, Any] | None = None
    replies: Sequence[Mapping[str, Any]] = ()
    corrected: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """The content of `audit.json`; null where a value is undefined."""
        found: dict[str, Any] = json_ready(
            {
                "logs": [str(path) for path in self.log.paths],
                "format": self.log.form,
                "n": len(self.log.answers),
                "n_questions": len({one.unit for one in self.log.answers}),
                "n_without_answer": sum(one.prediction is None for one in self.log.answers),
                "scores": [one.as_dict() for one in self.scores],
                "differences": list(self.differences),
                "agreement": self.agreement,
                "main": self.main,
                "answers": [one.as_dict() for one in self.apart],
                "features": self.features,
                "reasked": self.reasked,
                "replies": list(self.replies),
                "corrected": self.corrected,
                "notes": self.notes,
            }
        )
        return found

    def score_rows(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows of the table of scores."""
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
        return header, rows

    def as_text(self) -> str:
        """A table for people."""

        def limits(one: Mapping[str, Any]) -> str:
            return interval(one["low"], one["high"], how=one["how"])

        lines = [f"{self.log.form}: {len(self.log.answers)} answers", "", text_table(*self.score_rows()), ""]
        lines += [
            f"{one['name']} and evidence: Spearman {number(one['spearman'])} {limits(one)}, n {one['n']}"
            for one in self.agreement
            if one["n"]
        ]
        if self.apart and self.apart[0].by > 0:
            worst = self.apart[0]
            lines.append(
                f"furthest apart: {worst.answer.id}: {self.main} {worst.logged:g}, evidence contradicts "
                f"{worst.checked.counts.n_contradicted} of {worst.checked.counts.n_verified} claims"
            )
        if self.reasked is not None:
            lost = self.reasked["not_survived"]
            lines.append(f"re-asked: {number(lost['mean'])} of {lost['n']} scores of {self.main} do not survive")
        for one in self.corrected:
            more = f"; {one['labels_to_halve']} labels would halve it" if one.get("labels_to_halve") else ""
            lines.append(f"{one['name']} by {one['n_labels']} labels: {number(one['mean'])} {limits(one)}{more}")
        lines += ["", *(wrap_paragraph(note, bullet="! ") for note in self.notes)]
        return "\n".join(lines)


def audit_logs(
    paths: Sequence[Path],
    out: Path,
    *,
    profile: Profile | None = None,
    metrics: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    labels: Path | None = None,
    judge: ChatModel | None = None,
    n_reask: int = 100,
    offline: bool = False,
) -> Audit:
    """Audit the logs at *paths* and write `audit.html`, `audit.json` and the claims' run into *out*.

    Args:
        paths: Logs of one or several systems.
        out: The folder of the results.
        profile: How claims are checked; None to check none.
        metrics: Only these scores of the log.
        columns: For tables: field of an answer to its column.
        labels: Labels of people for some answers; see `fas.integrations.logs.scores.read_labels`.
        judge: A language model to ask again for the main score.
        n_reask: The most answers to ask for, drawn at random.
        offline: Refuse evidence that needs the network.

    Raises:
        InputError: A log or the labels cannot be read, or the log has no such score.
        ModelUnavailable: The judge does not answer at all.
    """
    for path in paths:
        check_outside(path, out)
    log = read_logs(paths, columns=columns)
    for name in metrics:
        if name not in log.metrics:
            raise InputError(f"--metric {name}: the log has no such score; available: {', '.join(log.metrics)}")
    chosen = list(metrics) or log.metrics
    gold = {} if labels is None else read_labels(labels, [one.id for one in log.answers])
    scores = summarise_scores(log, chosen)
    by_model = (one.name for one in scores if any(" by " in who for who in one.judges))
    found = Audit(log, scores, next(by_model, chosen[0] if chosen else ""), compare_systems(log, chosen))
    found.notes += _notes(log, scores)
    checked: dict[str, AnswerScore] = {}
    if profile is not None:
        checked, note = check_claims(log, out, profile, offline=offline)
        found.notes += [note] if note else []
    for name in chosen if checked else []:
        agreement, apart = compare_with_claims(log, name, checked)
        found.agreement.append(agreement)
        found.apart = apart if name == found.main else found.apart
    ours = {name: one.fas_evidence for name, one in checked.items()}
    found.features = [row for name in chosen for row in follow_features(log, name, ours)]
    if judge is not None and found.main:
        found.reasked, found.replies = ask_again(log, found.main, judge, n=n_reask)
    found.corrected = [correct_score(log, name, gold) for name in chosen] if gold else []
    _write(found, out)
    return found


def _notes(log: Log, scores: Sequence[LoggedScore]) -> Iterator[str]:
    n = len(log.answers)
    if not scores:
        yield "The log has no score: its answers are checked, and nothing is compared."
    why = Counter(one.error or "the log has no text" for one in log.answers if one.prediction is None)
    if why:
        yield f"{why.total()} of {n} answers have no text: {why.most_common(1)[0][0]}."
    for one in scores:
        whose = one.name + (f" of {one.system}" if one.system else "")
        if one.n_failed:
            moved = one.stored - one.mean.mean
            counted = f"; the log has numbers for them, which moves its mean by {moved:+.3f}" * (abs(moved) > 5e-4)
            yield f"{whose}: {one.n_failed} of {one.n} judgements failed and are in no mean here{counted}."
        if one.n_missing:
            yield f"{whose}: {one.n_missing} of {one.n} answers have no judgement, and no reason is logged."
        if one.alike:
            yield f"{whose}: {', '.join(one.alike)} judged its own answers."
    repeated = n - len({(one.system, one.unit) for one in log.answers})
    if repeated:
        yield f"{repeated} answers repeat a question of their system: each question is one unit of the intervals."


def _write(found: Audit, out: Path) -> None:
    from fas.integrations.logs.page import render_page

    out.mkdir(parents=True, exist_ok=True)
    write_json(out / "audit.json", found.as_dict(), indent=1)
    with replace_file(out / "audit.html", errors="replace") as file:
        file.write(render_page(found, link=f"{FOLDER}/report.html" if (out / FOLDER / "report.html").is_file() else ""))

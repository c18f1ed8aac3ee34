"""What came of a revision: one final answer a question, and the numbers before and after.

`final.jsonl` is an ordinary answers file. Its fields beside those of the question: `round` (whose answer it is),
`rounds` (how many answers there were), `stop` (`fas.leaf.stopping`), `rafe` (share of statements supported, or
null), `choice` and `right` where there are options. A question without any answer is not in it; `report.json` names it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas._version import __version__
from fas.core.files.own import REPORT, replace_file, write_json
from fas.core.records import MetricSummary
from fas.core.records.as_json import number_or_none
from fas.leaf.page import show_answer, write_page
from fas.leaf.stopping import STOPS, Stop, best_round, check_of
from fas.report.tables import estimate_text, json_ready
from fas.stats.bootstrap import mean_intervals
from fas.stats.paired import PairedDifference, paired_differences
from fas.text.choices.reading import read_choice

if TYPE_CHECKING:
    from fas.leaf.questions import Question
    from fas.leaf.revise import Run
    from fas.leaf.rounds import RevisionRound

_SHOWN_FAILURES = 20


@dataclass(frozen=True, slots=True)
class Revised:
    """The result of a revision.

    Attributes:
        stops: Reason to number of questions.
        before: Means over the first answers: `rafe`, `correct` (every statement supported), `right` (the option).
        n_unread: First and final answers whose choice could not be read; they count as wrong.
        requests: Role to how many of its replies stand behind the files: answers, verdicts, and queries that were
            searched. The notes of a round count unusable replies and repeated queries.
        tokens: Generated tokens of answers a question (LEAF, table 3): `first` for the first answers, `all` for those
            of every round together. Answers that were given, not generated, count none.
        failures: Question to why it has no (new) answer; the first twenty.
        notes: What a reader must know.
    """

    n: int
    stops: Mapping[str, int]
    rounds: tuple[int, ...]
    before: Mapping[str, MetricSummary]
    after: Mapping[str, MetricSummary]
    differences: Mapping[str, PairedDifference]
    n_unread: tuple[int, int]
    requests: Mapping[str, int]
    tokens: Mapping[str, float]
    failures: Mapping[str, str]
    n_failures: int
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The content of `report.json`; NaN and infinity become None."""
        return {**json_ready(self), "version": __version__}

    def as_text(self) -> str:
        """For people."""
        lines = [f"{self.n} questions; answers in each round: {', '.join(map(str, self.rounds))}"]
        lines += [f"  {reason:<13} {n}" for reason, n in self.stops.items() if n]
        lines.append(f"  {'':<13} {'before':>22} {'after':>22} {'difference':>24}")
        for name, before in self.before.items():
            after, difference = self.after[name], self.differences[name]
            lines.append(
                f"  {name:<13} {estimate_text(*before[:3]):>22} {estimate_text(*after[:3]):>22} "
                f"{estimate_text(difference.difference, difference.low, difference.high, form='signed'):>24}"
            )
        if any(self.n_unread):
            lines.append(f"  choices that could not be read, before and after: {self.n_unread[0]}, {self.n_unread[1]}")
        lines.append("  replies behind it: " + ", ".join(f"{role} {n}" for role, n in self.requests.items()))
        first, every = self.tokens["first"], self.tokens["all"]
        lines.append(f"  generated tokens a question: {first:.1f} of first answers, {every:.1f} of all answers")
        lines += [f"! {name}: {why}" for name, why in self.failures.items()]
        return "\n".join([*lines, *(f"! {note}" for note in self.notes)])


def write_outcome(run: Run, rounds: Sequence[RevisionRound]) -> Revised:
    """Write `final.jsonl`, `report.json` and `report.html` of a finished run."""
    columns: dict[str, list[float]] = {f"{when} {name}": [] for when in ("before", "after") for name in _NAMES}
    stops: Counter[str] = Counter()
    unread = [0, 0]
    failures: dict[str, str] = {}
    outcomes: dict[str, tuple[Stop, int]] = {}
    with replace_file(run.out / "final.jsonl") as final:
        for question in run.questions:
            answered = [one for one in rounds if question.id in one.answers]
            stop: Stop = run.stop(question, answered) if answered else "failed"
            stops[stop] += 1
            if stop == "failed" and len(failures) < _SHOWN_FAILURES:
                lost = f"the {'next' if answered else 'first'} answer could not be had"
                failures[question.id] = run.failures.get(question.id, lost)
            if not answered:
                for column in columns.values():
                    column.append(math.nan)
                continue
            seen = [_Seen.of(question, one, run) for one in answered]
            place = best_round([one.values["rafe"] for one in seen]) if run.settings.final == "best" else len(seen) - 1
            outcomes[question.id] = stop, place
            for i, (when, one) in enumerate((("before", seen[0]), ("after", seen[place]))):
                unread[i] += one.unread
                for name in _NAMES:
                    columns[f"{when} {name}"].append(one.values[name])
            final.write(json.dumps(seen[place].record(question, len(seen), stop), ensure_ascii=False) + "\n")
    revised = _summarize(run, rounds, columns, stops, (unread[0], unread[1]), failures)
    articles = (
        {
            "question": question,
            "answers": [show_answer(one, question.id) for one in rounds if question.id in one.answers],
            "stop": outcomes[question.id][0],
            "final": outcomes[question.id][1],
        }
        for question in run.questions
        if question.id in outcomes
    )
    write_page(run.out / "report.html", revised, articles)
    write_json(run.out / REPORT, revised.as_dict())
    return revised


_NAMES = ("rafe", "correct", "right")


@dataclass(frozen=True, slots=True)
class _Seen:
    """One answer to a question with what is known of it."""

    answer: Mapping[str, Any]
    choice: str | None
    unread: bool
    values: Mapping[str, float]

    @classmethod
    def of(cls, question: Question, one: RevisionRound, run: Run) -> _Seen:
        answer = one.answers.get(question.id) or {}
        scores = one.scores.get(question.id)
        check = None if scores is None else check_of(scores, run.knowledge.failed)
        choice = None if question.options is None else read_choice(answer["prediction"], question.options).letter
        right = math.nan if question.answer is None else float(choice == question.answer)
        values = {
            "rafe": math.nan if check is None else check.score,
            # Nothing to be checked is not correct; a failed check says nothing.
            "correct": math.nan if check is None or check.error else float(check.correct),
            "right": right,
        }
        return cls(answer, choice, question.options is not None and choice is None, values)

    def record(self, question: Question, n_answers: int, stop: str) -> dict[str, Any]:
        record = {"id": question.id, **question.record(), "prediction": self.answer["prediction"]}
        record |= {"round": self.answer["round"], "rounds": n_answers, "stop": stop}
        record["rafe"] = number_or_none(self.values["rafe"])
        if question.options is not None:
            record["choice"] = self.choice
        if question.answer is not None:
            record["right"] = self.choice == question.answer
        return record


def _summarize(
    run: Run,
    rounds: Sequence[RevisionRound],
    columns: Mapping[str, Sequence[float]],
    stops: Counter[str],
    unread: tuple[int, int],
    failures: Mapping[str, str],
) -> Revised:
    options: dict[str, Any] = {"n_resamples": run.profile.n_resamples, "seed": run.profile.seed}
    known = [name for name in _NAMES if any(not math.isnan(value) for value in columns[f"before {name}"])]
    sides = {when: {name: columns[f"{when} {name}"] for name in known} for when in ("before", "after")}
    return Revised(
        n=run.questions.n,
        stops={reason: stops[reason] for reason in STOPS if stops[reason]},
        rounds=tuple(len(one.answers) for one in rounds),
        before=mean_intervals(sides["before"], **options),
        after=mean_intervals(sides["after"], **options),
        differences=paired_differences(sides["after"], sides["before"], **options),
        n_unread=unread,
        requests=_count_requests(run, rounds),
        tokens={"first": _count_tokens(rounds[:1]) / run.questions.n, "all": _count_tokens(rounds) / run.questions.n},
        failures=failures,
        n_failures=stops["failed"],
        notes=tuple(run.notes()),
    )


def _count_requests(run: Run, rounds: Sequence[RevisionRound]) -> dict[str, int]:
    """How many replies of each role stand behind the files, however many processes asked for them."""
    counts = Counter({"generator": sum("generator" in record for one in rounds for record in one.answers)})
    if run.judges:
        counts["verdicts"] = sum(
            claim["label"] != "unverified" for one in rounds for record in one.scores for claim in record["claims"]
        )
    if run.writes_queries:
        counts["queries"] = sum(_count_queries(one.evidence) for one in rounds)
    return dict(counts)


def _count_tokens(rounds: Sequence[RevisionRound]) -> int:
    return sum(record.get("completion_tokens", 0) for one in rounds for record in one.answers)


def _count_queries(evidence: Path) -> int:
    """How many queries brought what the last search for every claim found; a run that stopped searches again."""
    if not evidence.exists():
        return 0
    last: dict[int, int] = {}
    with evidence.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line) if line.endswith("\n") else {}
            if "claim" in record:
                query = record["query"]
                last[hash((record["answer"], record["claim"]))] = query.count("\n") + 1 if query else 0
    return sum(last.values())

"""How far a check goes along with right and wrong answers (LEAF, appendix A.3), from stored scores; no model is asked.

The gold of an answer is 1 or 0: `gold` in its `meta`, or a file of gold. A decision calls it right or not:

    all supported        every claim is verified and supported, and there is one: LEAF's "factually correct"
    none contradicted    every claim is verified, none is contradicted, and there is one
    always right         the baseline that reads nothing

Positive is "called right". A claim that could not be verified makes neither decision positive, and an answer without a
claim is not called right. Answers whose scoring failed, and those without gold, are left out and counted. Intervals
resample questions with all their answers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fas.bench.stored import find_runs
from fas.core.checks import parse_finite
from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.core.records import MetricSummary
from fas.report.tables import AsText, estimate_text, json_ready, number, p_value, text_table
from fas.results import read_records, scores_path
from fas.scoring.aggregate import question_key
from fas.stats.binary import Confusion, answer_counts, binary_summaries
from fas.stats.bootstrap import Estimate, FloatArray, mean_intervals
from fas.stats.correlation import PairwiseAccuracy, auroc_estimate, pairwise_accuracy
from fas.stats.paired import PairedDifference, paired_difference
from fas.stats.selection import Selection, selection

DECISIONS = ("all supported", "none contradicted", "always right")
SCORES = ("support", "no contradiction")


@dataclass(frozen=True, slots=True)
class Answers:
    """The checked answers of one or more result folders, as columns.

    Attributes:
        gold: Shape `[n]`, 0 or 1.
        decisions: Decision to 0 or 1, shape `[n]`.
        scores: Share of claims supported, and one minus the share contradicted, NaN without a verified claim; and the
            rewards of other models that were given, by their names.
        questions: What answers to the same question share.
        choices: The option that each chose (`choice` in `meta`); None where none is known.
        left_out: Why answers are not among them, with counts.
    """

    gold: FloatArray
    decisions: dict[str, FloatArray]
    scores: dict[str, FloatArray]
    questions: tuple[str, ...]
    models: tuple[str, ...]
    ids: tuple[str, ...]
    choices: tuple[str | None, ...]
    left_out: dict[str, int]


@dataclass(frozen=True, slots=True)
class OptionRow:
    """How often one option of a question was chosen, and how it scored: a bar of LEAF's figure 8 (appendix A.9).

    Attributes:
        question: The question, by its identifier or text.
        support: Mean share of supported claims of these answers; NaN where none has a verified claim.
    """

    question: str
    model: str
    option: str
    n: int
    right: bool
    support: float


@dataclass(frozen=True, slots=True)
class AlignmentRow:
    """One decision against gold; the three measures and `alignment` (TP + TN) / n, each with its interval."""

    confusion: Confusion
    measures: dict[str, MetricSummary]


@dataclass(frozen=True, slots=True)
class Alignment:
    """A check against right and wrong answers.

    Attributes:
        rows: Decision to its row.
        against_always: Alignment of each decision minus that of `always right`, paired by question.
        auroc: Score to the area under its ROC curve.
        pairwise: Score to how often it orders a right and a wrong answer to one question.
        selected: Score to what choosing by it among several answers of one model gives; empty without any.
        left_out: Reason to number of answers.
        options: Of questions with several answers of one model, a row for each option that was chosen.
    """

    name: str
    n: int
    n_questions: int
    rows: dict[str, AlignmentRow]
    against_always: dict[str, PairedDifference]
    auroc: dict[str, Estimate]
    pairwise: dict[str, PairwiseAccuracy]
    selected: dict[str, Selection]
    left_out: dict[str, int]
    options: tuple[OptionRow, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        rows = {name: {**row.confusion._asdict(), **row.measures} for name, row in self.rows.items()}
        plain: dict[str, Any] = {
            "name": self.name,
            "n": self.n,
            "n_questions": self.n_questions,
            "decisions": rows,
            "against_always_right": self.against_always,
            "auroc": self.auroc,
            "pairwise_accuracy": {name: one.as_dict() for name, one in self.pairwise.items()},
            "selection": {name: _selection_dict(one) for name, one in self.selected.items()},
            "left_out": self.left_out,
            "options": self.options,
        }
        ready: dict[str, Any] = json_ready(plain)
        return ready

    def as_text(self) -> str:
        """Tables for people."""
        rows = [
            [name, *map(str, row.confusion), *(estimate_text(*row.measures[key][:3]) for key in _KEYS)]
            for name, row in self.rows.items()
        ]
        parts = [
            f"{self.name}: {self.n} answers to {self.n_questions} questions",
            text_table(["decision", "TP", "FP", "FN", "TN", *_KEYS], rows),
        ]
        parts += [
            f"alignment of '{name}' minus 'always right': "
            f"{estimate_text(one.difference, one.low, one.high, form='signed')}"
            for name, one in self.against_always.items()
        ]
        ranked = [
            [
                name,
                estimate_text(*area[:3]),
                estimate_text(pair.value, pair.low, pair.high),
                f"{pair.n_pairs} ({pair.n_tied} tied)",
            ]
            for (name, area), pair in zip(self.auroc.items(), self.pairwise.values(), strict=True)
        ]
        parts.append(text_table(["score", "AUROC", "pairwise accuracy", "pairs"], ranked))
        for name, chosen in self.selected.items():
            body = [[key, estimate_text(*one[:3])] for key, one in chosen.rows.items()]
            parts.append(text_table([f"accuracy of the answer chosen by {name}", ""], body))
            parts.append(
                f"{chosen.n_questions} questions with two scored answers or more ({chosen.n_left_out} without); the "
                f"best score is shared in {number(chosen.tied)} of them, by all answers in {number(chosen.all_equal)}"
            )
        if self.options:
            body = [
                [row.question, row.model, row.option + " *" * row.right, str(row.n), number(row.support)]
                for row in self.options
            ]
            parts.append(text_table(["question", "model", "option (* right)", "answers", "mean support"], body))
        parts += [f"! {n} answers left out: {why}" for why, n in self.left_out.items()]
        return "\n\n".join(parts)


_KEYS = ("precision", "recall", "f1", "alignment")


def read_rewards(path: Path) -> dict[str, float]:
    """What a reward model says of answers: a file of JSON Lines with `id` and `reward`, higher is better.

    Raises:
        InputError: A line has no id or no finite reward, or an id occurs twice.
    """
    found: dict[str, float] = {}
    for line, record in json_lines(path):
        identifier, reward = record.get("id"), parse_finite(record.get("reward"))
        if not isinstance(identifier, str) or reward is None or identifier in found:
            raise InputError(
                f"{path}, line {line}: expected `id`, once, and a number `reward`", kind="field", line=line
            )
        found[identifier] = reward
    return found


def read_checked(
    path: Path,
    *,
    gold: Path | None = None,
    where: Mapping[str, str] | None = None,
    rewards: Mapping[str, Path] | None = None,
) -> Answers:
    """The checked answers in a result folder, or in those directly below it.

    Args:
        path: The folder.
        gold: File of gold (`id`, `gold`), instead of `gold` in each answer's `meta`.
        where: Fields of `meta` with the values that an answer must have, as text; others are passed over.
        rewards: Name of a reward model to the file of its rewards (`read_rewards`).

    Raises:
        InputError: There are no scores, gold is neither 0 nor 1, no answer has any, or an answer has no reward.
    """
    rewarded = {name: read_rewards(file) for name, file in (rewards or {}).items()}
    given = None if gold is None else {str(record.get("id")): record.get("gold") for _, record in json_lines(gold)}
    columns: dict[str, list[float]] = {name: [] for name in ("gold", *DECISIONS, *SCORES, *rewarded)}
    questions, models, ids, choices = [], [], [], []
    left_out: Counter[str] = Counter()
    for folder in find_runs(path):
        file = scores_path(folder)
        for line, record in read_records(file):
            meta = record["meta"]
            if any(str(meta.get(name)) != value for name, value in (where or {}).items()):
                continue
            truth = meta.get("gold") if given is None else given.get(record["id"])
            if record["error"] is not None:
                left_out["scoring failed"] += 1
                continue
            if truth is None:
                left_out["no gold"] += 1
                continue
            if parse_finite(truth) not in (0, 1):
                raise InputError(f"{file}, line {line}: gold must be 0 or 1, got {truth!r}", kind="gold", line=line)
            labels = [claim["label"] for claim in record["claims"]]
            verified = len(labels) - labels.count("unverified")
            whole = 0 < len(labels) == verified
            columns["gold"].append(float(truth))
            columns["all supported"].append(float(whole and labels.count("supported") == verified))
            columns["none contradicted"].append(float(whole and "contradicted" not in labels))
            columns["always right"].append(1.0)
            columns["support"].append(labels.count("supported") / verified if verified else math.nan)
            columns["no contradiction"].append(1 - labels.count("contradicted") / verified if verified else math.nan)
            for name, known in rewarded.items():
                if record["id"] not in known:
                    raise InputError(f"{file}, line {line}: {name} has no reward of {record['id']!r}", kind="field")
                columns[name].append(known[record["id"]])
            model = str(meta.get("model", "(none)"))
            questions.append(question_key(record) or f"answer\0{record['id']}")
            models.append(model)
            ids.append(f"{model}\0{record['id']}")
            choices.append(None if meta.get("choice") is None else str(meta["choice"]))
    if not ids:
        raise InputError(f"{path}: no scored answer has gold (0 or 1)", kind="no_gold")
    arrays = {name: np.array(values) for name, values in columns.items()}
    return Answers(
        arrays["gold"],
        {name: arrays[name] for name in DECISIONS},
        {name: arrays[name] for name in (*SCORES, *rewarded)},
        tuple(questions),
        tuple(models),
        tuple(ids),
        tuple(choices),
        dict(left_out),
    )


def count_options(answers: Answers) -> tuple[OptionRow, ...]:
    """A row for each option that was chosen, of the questions that one model answered twice or more.

    Answers whose choice is unknown are left out; rows follow the questions' order, the commonest option first.
    """
    groups: dict[tuple[str, str], dict[str, list[int]]] = {}
    for i, (question, model, choice) in enumerate(zip(answers.questions, answers.models, answers.choices, strict=True)):
        if choice is not None:
            groups.setdefault((question, model), {}).setdefault(choice, []).append(i)
    rows = []
    for (question, model), options in groups.items():
        if sum(map(len, options.values())) < 2:
            continue
        for option, places in sorted(options.items(), key=lambda item: (-len(item[1]), item[0])):
            known = [value for value in answers.scores["support"][places] if not math.isnan(value)]
            mean = sum(known) / len(known) if known else math.nan
            shown = question.rpartition("\0")[2]  # a question's key holds its data set, too
            rows.append(OptionRow(shown, model, option, len(places), bool(answers.gold[places[0]]), mean))
    return tuple(rows)


def align(
    answers: Answers,
    name: str,
    *,
    by_option: bool = False,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> Alignment:
    """The alignment of a check with gold; with *by_option* also a row for each option chosen.

    Raises:
        ValueError: An option is out of range.
    """
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    clusters = np.array(answers.questions)
    counts = {one: answer_counts(decided, answers.gold) for one, decided in answers.decisions.items()}
    measured = binary_summaries(counts, clusters=clusters, level=level, always=DECISIONS[2:])
    agreed = {one: (decided == answers.gold).astype(float) for one, decided in answers.decisions.items()}
    aligned = mean_intervals(agreed, clusters=clusters, **options)
    # A check that cannot say "contradicted" decides the second as it decides whether everything was verified.
    rows = {
        one: AlignmentRow(Confusion.of(decided, answers.gold), {**measured[one], "alignment": aligned[one]})
        for one, decided in answers.decisions.items()
    }
    several = Counter(zip(answers.questions, answers.models, strict=True))
    selected = {}
    if max(several.values()) > 1:
        keys = [f"{model}\0{question}" for question, model in zip(answers.questions, answers.models, strict=True)]
        selected = {one: selection(score, answers.gold, keys, **options) for one, score in answers.scores.items()}
    return Alignment(
        name,
        len(answers.gold),
        len(set(answers.questions)),
        rows,
        {
            one: paired_difference(agreed[one], agreed["always right"], clusters=clusters, **options)
            for one in DECISIONS[:2]
        },
        {
            one: auroc_estimate(score, answers.gold, clusters=clusters, **options)
            for one, score in answers.scores.items()
        },
        {one: pairwise_accuracy(score, answers.gold, clusters, level=level) for one, score in answers.scores.items()},
        selected,
        answers.left_out,
        count_options(answers) if by_option else (),
    )


def align_difference(a: Answers, b: Answers, **options: Any) -> dict[str, PairedDifference]:
    """Alignment of each decision in *a* minus that in *b*, over the answers that both have, paired by question.

    Raises:
        InputError: They share no answer.
    """
    places = {identifier: i for i, identifier in enumerate(b.ids)}
    both = [(i, places[identifier]) for i, identifier in enumerate(a.ids) if identifier in places]
    if not both:
        raise InputError("the runs share no answer, so that nothing can be compared", kind="no_common")
    first, second = (np.array(side) for side in zip(*both, strict=True))
    clusters = np.array(a.questions)[first]
    return {
        name: paired_difference(
            (a.decisions[name][first] == a.gold[first]).astype(float),
            (b.decisions[name][second] == b.gold[second]).astype(float),
            clusters=clusters,
            **options,
        )
        for name in DECISIONS[:2]
    }


@dataclass(frozen=True, slots=True)
class AlignedFolders(AsText):
    """The alignment of several folders.

    Attributes:
        difference: Measure to the first minus the second, of two folders.
    """

    runs: list[Alignment]
    difference: dict[str, PairedDifference]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"runs": [one.as_dict() for one in self.runs], "difference": json_ready(self.difference)}

    def as_text(self, *, as_markdown: bool = False) -> str:
        """For people."""
        parts = [markdown(self.runs) if as_markdown else "\n\n\n".join(one.as_text() for one in self.runs)]
        parts += [
            f"\nalignment of '{name}', first minus second run: "
            f"{estimate_text(one.difference, one.low, one.high, form='signed')}, p {p_value(one.p)}, {one.n} answers"
            for name, one in self.difference.items()
        ]
        return "\n".join(parts)


def align_folders(
    folders: Sequence[Path],
    *,
    gold: Path | None = None,
    where: Mapping[str, str] | None = None,
    rewards: Mapping[str, Path] | None = None,
    by_option: bool = False,
    **options: Any,
) -> AlignedFolders:
    """The alignment of each folder with right and wrong answers, and of two the difference.

    Args:
        folders: Result folders, or folders of several.
        gold: Gold of the answers; that of the answers themselves by default.
        where: Only answers with these values.
        rewards: Name of a reward model to the file of its rewards, to rank by, too.
        by_option: Also how often each option was chosen, and its mean score.
        options: Of the intervals, as for `align`.

    Raises:
        InputError: A file cannot be used.
    """
    checked = [read_checked(path, gold=gold, where=where, rewards=rewards) for path in folders]
    runs = [align(one, str(path), by_option=by_option, **options) for one, path in zip(checked, folders, strict=True)]
    return AlignedFolders(runs, align_difference(*checked, **options) if len(checked) == 2 else {})


def markdown(alignments: Sequence[Alignment]) -> str:
    """The tables of several runs in one page."""
    decided = [
        (one.name, name, *row.confusion, *(estimate_text(*row.measures[key][:3]) for key in _KEYS))
        for one in alignments
        for name, row in one.rows.items()
    ]
    ranked = [
        (one.name, name, estimate_text(*area[:3]), estimate_text(pair.value, pair.low, pair.high),
         f"{pair.n_pairs} ({pair.n_tied})")
        for one in alignments
        for name, area in one.auroc.items()
        for pair in [one.pairwise[name]]
    ]  # fmt: skip
    chosen = [
        (one.name, name, *(estimate_text(*found.rows[key][:3]) for key in ("best", "worst", "mean", "oracle")),
         found.n_questions, number(found.tied))
        for one in alignments
        for name, found in one.selected.items()
    ]  # fmt: skip
    tables = [
        _table("run | decision | TP | FP | FN | TN | precision | recall | F1 | alignment", decided),
        _table("run | score | AUROC | pairwise accuracy | pairs (tied)", ranked),
        *([_table("run | chosen by | best | worst | any | oracle | questions | tied", chosen)] if chosen else []),
    ]
    return "\n\n".join(tables) + "\n"


def _table(header: str, rows: Sequence[Sequence[object]]) -> str:
    """A table of Markdown, two columns of names first."""
    lines = [f"| {header} |", "|---|---" + "|--:" * (header.count("|") - 1) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(map(str, cells))} |" for cells in rows)])


def _selection_dict(one: Selection) -> dict[str, Any]:
    return {
        **one.rows,
        "best_minus_worst": one.best_worst,
        "best_minus_mean": one.best_mean,
        **{name: getattr(one, name) for name in ("n_questions", "n_left_out", "tied", "all_equal")},
    }

"""How far a check agrees with right and wrong answers (LEAF, appendix A.3), from stored scores, without a model.

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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

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
_KEYS = ("precision", "recall", "f1", "alignment")


class Answers(NamedTuple):
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


class OptionRow(NamedTuple):
    """The answers that chose one option of a question, and their score: a bar of LEAF's figure 8 (appendix A.9).

    `support` is the mean share of supported claims of these answers; NaN where none has a verified claim.
    """

    question: str
    model: str
    option: str
    n: int
    right: bool
    support: float


class AlignmentRow(NamedTuple):
    """One decision against gold; the three measures and `alignment` (TP + TN) / n, each with its interval."""

    confusion: Confusion
    measures: dict[str, MetricSummary]


@dataclass(frozen=True, slots=True)
class Alignment(AsText):
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
        """For programs; null where a value is undefined."""
        found = dict(json_ready(self))
        found["decisions"] = {name: {**row["confusion"], **row["measures"]} for name, row in found.pop("rows").items()}
        found["against_always_right"] = found.pop("against_always")
        found["pairwise_accuracy"] = found.pop("pairwise")
        selected = found.pop("selected")
        for one in selected.values():
            one |= one.pop("rows")
            one |= {f"best_minus_{name}": one.pop(f"best_{name}") for name in ("worst", "mean")}
        return {**found, "selection": selected}

    def as_text(self) -> str:
        """Tables for people."""
        parts = [f"{self.name}: {self.n} answers to {self.n_questions} questions"]
        parts += [text_table(header[1:], [row[1:] for row in rows]) for header, rows in _list_tables([self])]
        parts += [
            f"alignment of '{name}' minus 'always right': {_show_difference(one)}"
            for name, one in self.against_always.items()
        ]
        for name, one in self.selected.items():
            parts.append(
                f"{name}: {one.n_questions} questions with two scored answers or more ({one.n_left_out} without); the "
                f"best score is shared in {number(one.tied)} of them, by all answers in {number(one.all_equal)}"
            )
        if self.options:
            body = [
                [row.question, row.model, row.option + " *" * row.right, str(row.n), number(row.support)]
                for row in self.options
            ]
            parts.append(text_table(["question", "model", "option (* right)", "answers", "mean support"], body))
        parts += [f"! {n} answers left out: {why}" for why, n in self.left_out.items()]
        return "\n\n".join(parts)


def read_rewards(path: Path) -> dict[str, float]:
    """A reward model's scores of answers: a file of JSON Lines with `id`, once, and `reward`, higher is better.

    An InputError where a line has no id or no finite reward.
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
        where: Fields of `meta` with the values that an answer must have, as text.
        rewards: Name of a reward model to the file of its rewards (`read_rewards`).

    Raises:
        InputError: There are no scores, gold is neither 0 nor 1, no answer has any, or an answer has no reward.
    """
    rewarded = {name: read_rewards(file) for name, file in (rewards or {}).items()}
    given = None if gold is None else {str(record.get("id")): record.get("gold") for _, record in json_lines(gold)}
    rows: list[dict[str, float]] = []
    named: list[tuple[str, str, str, str | None]] = []
    left_out: Counter[str] = Counter()
    for folder in find_runs(path):
        file = scores_path(folder)
        for line, record in read_records(file):
            meta, identifier = record["meta"], record["id"]
            if any(str(meta.get(name)) != value for name, value in (where or {}).items()):
                continue
            truth = meta.get("gold") if given is None else given.get(identifier)
            if record["error"] is not None or truth is None:
                left_out["no gold" if record["error"] is None else "scoring failed"] += 1
                continue
            if parse_finite(truth) not in (0, 1):
                raise InputError(f"{file}, line {line}: gold must be 0 or 1, got {truth!r}", kind="gold", line=line)
            for name, known in rewarded.items():
                if identifier not in known:
                    raise InputError(f"{file}, line {line}: {name} has no reward of {identifier!r}", kind="field")
            own = {name: known[identifier] for name, known in rewarded.items()}
            rows.append({"gold": float(truth), **_decide([claim["label"] for claim in record["claims"]]), **own})
            model, choice = str(meta.get("model", "(none)")), meta.get("choice")
            question = question_key(record) or f"answer\0{identifier}"
            named.append((question, model, f"{model}\0{identifier}", None if choice is None else str(choice)))
    if not rows:
        raise InputError(f"{path}: no scored answer has gold (0 or 1)", kind="no_gold")
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    questions, models, ids, choices = zip(*named, strict=True)
    return Answers(
        columns["gold"],
        {name: columns[name] for name in DECISIONS},
        {name: columns[name] for name in (*SCORES, *rewarded)},
        questions,
        models,
        ids,
        choices,
        dict(left_out),
    )


def _decide(labels: Sequence[str]) -> dict[str, float]:
    """The decisions on an answer whose claims have these labels, and its scores."""
    verified = len(labels) - labels.count("unverified")
    whole = 0 < len(labels) == verified
    supported, contradicted = labels.count("supported"), labels.count("contradicted")
    return {
        "all supported": float(whole and supported == verified),
        "none contradicted": float(whole and not contradicted),
        "always right": 1.0,
        "support": supported / verified if verified else math.nan,
        "no contradiction": 1 - contradicted / verified if verified else math.nan,
    }


def _count_options(answers: Answers) -> Iterator[OptionRow]:
    """A row for each option that was chosen, of the questions that one model answered twice or more.

    Answers whose choice is unknown are left out; rows follow the questions' order, the commonest option first.
    """
    groups: dict[tuple[str, str], dict[str, list[int]]] = {}
    for i, (question, model, choice) in enumerate(zip(answers.questions, answers.models, answers.choices, strict=True)):
        if choice is not None:
            groups.setdefault((question, model), {}).setdefault(choice, []).append(i)
    for (question, model), options in groups.items():
        if sum(map(len, options.values())) < 2:
            continue
        shown = question.rpartition("\0")[2]  # a question's key holds its data set, too
        for option, places in sorted(options.items(), key=lambda item: (-len(item[1]), item[0])):
            known = [value for value in answers.scores["support"][places] if not math.isnan(value)]
            mean = sum(known) / len(known) if known else math.nan
            yield OptionRow(shown, model, option, len(places), bool(answers.gold[places[0]]), mean)


def align(
    answers: Answers,
    name: str,
    *,
    by_option: bool = False,
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> Alignment:
    """The alignment of a check with gold; with *by_option* also a row for each option chosen."""
    clusters = np.array(answers.questions)
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    drawn = {**options, "clusters": clusters}
    gold, decisions, scores = answers.gold, answers.decisions, answers.scores
    counts = {one: answer_counts(decided, gold) for one, decided in decisions.items()}
    measured = binary_summaries(counts, clusters=clusters, level=level, always=DECISIONS[2:])
    agreed = {one: (decided == gold).astype(float) for one, decided in decisions.items()}
    aligned = mean_intervals(agreed, **drawn)
    keys = [f"{model}\0{question}" for question, model in zip(answers.questions, answers.models, strict=True)]
    several = len(set(keys)) < len(keys)
    return Alignment(
        name,
        len(gold),
        len(set(answers.questions)),
        {
            one: AlignmentRow(Confusion.of(decided, gold), {**measured[one], "alignment": aligned[one]})
            for one, decided in decisions.items()
        },
        {one: paired_difference(agreed[one], agreed["always right"], **drawn) for one in DECISIONS[:2]},
        {one: auroc_estimate(score, gold, **drawn) for one, score in scores.items()},
        {one: pairwise_accuracy(score, gold, clusters, level=level) for one, score in scores.items()},
        {one: selection(score, gold, keys, **options) for one, score in scores.items()} if several else {},
        answers.left_out,
        tuple(_count_options(answers)) if by_option else (),
    )


def align_difference(a: Answers, b: Answers, **options: Any) -> dict[str, PairedDifference]:
    """Alignment of each decision in *a* minus that in *b*, over the answers that both have, paired by question.

    An InputError where they share none.
    """
    places = {identifier: i for i, identifier in enumerate(b.ids)}
    both = [(i, places[identifier]) for i, identifier in enumerate(a.ids) if identifier in places]
    if not both:
        raise InputError("the runs share no answer, so that nothing can be compared", kind="no_common")
    first, second = (np.array(side) for side in zip(*both, strict=True))
    right = [
        {name: (one.decisions[name] == one.gold)[kept].astype(float) for name in DECISIONS[:2]}
        for one, kept in ((a, first), (b, second))
    ]
    clusters = np.array(a.questions)[first]
    return {
        name: paired_difference(right[0][name], right[1][name], clusters=clusters, **options) for name in DECISIONS[:2]
    }


@dataclass(frozen=True, slots=True)
class AlignedFolders(AsText):
    """The alignment of several folders; of two also the *difference*: decision to the first minus the second."""

    runs: list[Alignment]
    difference: dict[str, PairedDifference]

    def as_dict(self) -> dict[str, Any]:
        """For programs."""
        return {"runs": [one.as_dict() for one in self.runs], "difference": json_ready(self.difference)}

    def as_text(self, *, as_markdown: bool = False) -> str:
        """For people."""
        parts = [markdown(self.runs) if as_markdown else "\n\n\n".join(one.as_text() for one in self.runs)]
        parts += [
            f"\nalignment of '{name}', first minus second run: {_show_difference(one)}, p {p_value(one.p)}, "
            f"{one.n} answers"
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
    """The alignment of each result folder (or folder of several) with right and wrong answers; of two the difference.

    See `read_checked` for *gold*, *where* and *rewards*, and for errors, and `align` for the others.
    """
    checked = [read_checked(path, gold=gold, where=where, rewards=rewards) for path in folders]
    runs = [align(one, str(path), by_option=by_option, **options) for one, path in zip(checked, folders, strict=True)]
    return AlignedFolders(runs, align_difference(*checked, **options) if len(checked) == 2 else {})


def markdown(alignments: Sequence[Alignment]) -> str:
    """The tables of several runs in one page, the runs below one another in each."""
    pages = []
    for header, rows in _list_tables(alignments):
        lines = [f"| {' | '.join(cells)} |" for cells in (header, *rows)]
        pages.append("\n".join([lines[0], "|---|---" + "|--:" * (len(header) - 2) + "|", *lines[1:]]))
    return "\n\n".join(pages) + "\n"


def _list_tables(alignments: Sequence[Alignment]) -> Iterator[tuple[list[str], list[list[str]]]]:
    """Header and rows of each table, the run in the first column."""
    decided = [
        [one.name, name, *map(str, row.confusion), *(_show(row.measures[key]) for key in _KEYS)]
        for one in alignments
        for name, row in one.rows.items()
    ]
    yield "run | decision | TP | FP | FN | TN | precision | recall | F1 | alignment".split(" | "), decided
    ranked = []
    for one in alignments:
        for name, pair in one.pairwise.items():
            shown = estimate_text(pair.value, pair.low, pair.high)
            ranked.append([one.name, name, _show(one.auroc[name]), shown, f"{pair.n_pairs} ({pair.n_tied})"])
    yield "run | score | AUROC | pairwise accuracy | pairs (tied)".split(" | "), ranked
    chosen = [
        [one.name, name, *(_show(found.rows[key]) for key in ("best", "worst", "mean", "oracle")),
         str(found.n_questions), number(found.tied)]
        for one in alignments
        for name, found in one.selected.items()
    ]  # fmt: skip
    if chosen:
        yield "run | chosen by | best | worst | any | oracle | questions | tied".split(" | "), chosen


def _show(one: Estimate | MetricSummary) -> str:
    return estimate_text(*one[:3])


def _show_difference(one: PairedDifference) -> str:
    return estimate_text(one.difference, one.low, one.high, form="signed")

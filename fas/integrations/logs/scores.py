"""The log's own numbers again: means with clustered intervals, failures, systems in pairs, corrections by labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.answers.strict_json import load_strict_json
from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.core.records import MetricSummary
from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import LoggedAnswer, make_score
from fas.stats.bootstrap import FloatArray, make_units, mean_intervals
from fas.stats.label_plan import plan_labels
from fas.stats.multiple import holm
from fas.stats.paired import paired_difference
from fas.stats.prediction_powered import Side, adjusted_mean

Labels = Mapping[str, tuple[float, float | None]]
"""Answer to its label and the probability with which it was drawn, if known."""


@dataclass(frozen=True, slots=True)
class LoggedScore:
    """One score of the log, of one system or of all.

    Attributes:
        system: Empty where the log has one system or names none.
        mean: Over the answers that have a number, with the interval of their questions.
        stored: The mean of the stored numbers, failed judgements that were counted as wrong included.
        n: Answers.
        n_units: Questions.
        n_missing: Answers without a number and without a reason.
        failures: Reasons of failed judgements, with counts.
        judges: Judges, with counts.
        alike: Judges that are the model whose answers they judge.
    """

    name: str
    system: str
    mean: MetricSummary
    stored: float
    n: int
    n_units: int
    n_missing: int
    failures: Mapping[str, int]
    judges: Mapping[str, int]
    alike: tuple[str, ...] = ()

    @property
    def n_failed(self) -> int:
        """Failed judgements."""
        return sum(self.failures.values())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready but for NaN."""
        return {**asdict(self), "mean": self.mean._asdict(), "n_failed": self.n_failed}


def summarise_scores(log: Log, metrics: Sequence[str]) -> list[LoggedScore]:
    """Each score of *metrics*, for each system if there are several."""
    systems = list(dict.fromkeys(one.system for one in log.answers))
    most = 1.0 if log.form == "HealthBench" else math.inf  # its scores have no minimum
    found = []
    for name in metrics:
        for system in systems:
            answers = [one for one in log.answers if one.system == system]
            if any(name in one.scores for one in answers):
                found.append(_summarise(name, system if len(systems) > 1 else "", answers, most))
    return found


def _summarise(name: str, system: str, answers: Sequence[LoggedAnswer], most: float) -> LoggedScore:
    given = [one.scores.get(name) for one in answers]
    stored = np.array([math.nan if one is None else one.stored for one in given])
    failures = Counter(
        (one.failure if one is not None else answer.error) or "missing"
        for one, answer in zip(given, answers, strict=True)
        if one is None or one.failure
    )
    missing = failures.pop("missing", 0)
    judges = Counter(one.judge for one in given if one is not None)
    models = {one.system for one in answers if one.system}
    mean = mean_intervals({name: values_of(answers, name)}, clusters=clusters_of(answers))[name]
    return LoggedScore(
        name, system, mean._replace(high=min(mean.high, most)),
        float(np.nanmean(stored)) if (~np.isnan(stored)).any() else math.nan,
        len(answers), len({one.unit for one in answers}), missing,
        dict(failures.most_common()), dict(judges.most_common()),
        tuple(judge for judge in judges if judge.rpartition(" by ")[2] in models),
    )  # fmt: skip


def compare_systems(log: Log, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """The difference of each two systems' means over the questions that both answered, for each score.

    Several answers of a system to one question are one value, their mean. `p_holm` corrects for all comparisons.
    """
    found: list[dict[str, Any]] = []
    for name in metrics:
        values: dict[str, dict[str, list[float]]] = {one.system: {} for one in log.answers}
        for one, value in zip(log.answers, values_of(log.answers, name), strict=True):
            if not math.isnan(value):
                values[one.system].setdefault(one.unit, []).append(float(value))
        for a, b in combinations(values, 2):
            shared = [unit for unit in values[a] if unit in values[b]]
            if len(shared) < 2:
                continue
            means = ([sum(of[unit]) / len(of[unit]) for unit in shared] for of in (values[a], values[b]))
            test = paired_difference(*means)
            kept = {key: getattr(test, key) for key in ("difference", "low", "high", "p", "how", "n")}
            found.append({"name": name, "a": a, "b": b, **kept})
    for one_pair, corrected in zip(found, holm([pair["p"] for pair in found]), strict=True):
        one_pair["p_holm"] = float(corrected)
    return found


def values_of(answers: Sequence[LoggedAnswer], name: str) -> FloatArray:
    """The numbers of one score, NaN where an answer has none."""
    return np.array([one.scores[name].value if name in one.scores else math.nan for one in answers], dtype=np.float64)


def clusters_of(answers: Sequence[LoggedAnswer]) -> list[str] | None:
    """The question of each answer, for intervals; None where no two answers share one."""
    units = [one.unit for one in answers]
    return units if len(set(units)) < len(units) else None


def read_labels(path: Path, known: Sequence[str]) -> Labels:
    """Labels of people, by the identifier of the answer.

    A line is `{"id": "q1", "value": 1}`, and may have `pi`, the probability with which the answer was drawn. The value
    is on the scale of the score, or a grade in words (`correct`).

    Raises:
        InputError: A line cannot be used, or the log does not have its answer.
    """
    found: dict[str, tuple[float, float | None]] = {}
    for number, row in json_lines(path, parse=load_strict_json):
        name, pi = str(row.get("id")), row.get("pi")
        value = make_score(row.get("value"), "").value
        if name not in known:
            problem = f"'id': the log has no answer {name!r}; e.g. {known[0]!r}"
        elif math.isnan(value):
            problem = f"'value': expected a number or a grade, got {row.get('value')!r}"
        elif name in found:
            problem = f"'id': {name!r} has a label already"
        elif pi is not None and not (isinstance(pi, int | float) and 0 < pi <= 1):
            problem = f"'pi': expected a probability above 0 and up to 1, got {pi!r}"
        else:
            found[name] = value, pi
            continue
        raise InputError(f"{path}, line {number}: field {problem}", line=number)
    if not found:
        raise InputError(f"{path}: no label", kind="empty_file")
    if len({pi is None for _, pi in found.values()}) > 1:
        raise InputError(f"{path}: field 'pi': give it in all lines or in none")
    return found


def correct_score(log: Log, name: str, labels: Labels) -> dict[str, Any]:
    """The mean label of all answers, estimated from *labels* and the score *name* of every answer (prediction-powered).

    Without `pi` the labelled answers count as a simple random sample. An answer whose judgement failed has the mean of
    the others as its prediction, which leaves the estimate unbiased.
    """
    answers = log.answers
    n = len(answers)
    units = make_units(n, [one.unit for one in answers])
    scores = values_of(answers, name)
    mean = float(np.nanmean(scores)) if (~np.isnan(scores)).any() else 0.0
    gold = np.array([labels[one.id][0] if one.id in labels else math.nan for one in answers])
    side = Side(
        gold=gold,
        predicted=np.where(np.isnan(scores), mean, scores),
        inclusion=np.array([labels.get(one.id, (0, None))[1] or len(labels) / n for one in answers], dtype=np.float64),
        weights=np.ones(n),
        clusters=units.of_item,
        sizes=np.bincount(units.of_item, minlength=units.n).astype(np.float64),
        offsets=np.zeros(units.n),
        strata=np.zeros(n, dtype=np.intp),
    )
    found = adjusted_mean(side, share=set(gold[~np.isnan(gold)]) <= {0.0, 1.0})
    row: dict[str, Any] = {
        "name": name, "raw": mean, "mean": found.value, "low": found.low, "high": found.high, "how": found.how,
        "tuning": found.tuning[0], "alone": found.alone, "n_labels": found.n_labels, "n": n,
    }  # fmt: skip
    if not math.isnan(found.width) and found.width > 0:
        plan = plan_labels(side, found, np.zeros(n, dtype=np.intp), found.width / 2)
        row |= {"labels_to_halve": plan.same, "least_width": plan.least, "width": found.width}
    return row

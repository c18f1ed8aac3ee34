"""The log's own numbers again: means with clustered intervals, failures counted, systems compared in pairs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

from fas.core.records import MetricSummary
from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import LoggedAnswer
from fas.stats.bootstrap import mean_intervals
from fas.stats.multiple import holm
from fas.stats.paired import paired_difference


@dataclass(frozen=True, slots=True)
class LoggedScore:
    """One of the log's scores, of one system or of all.

    Attributes:
        name: What the log calls it.
        system: Who answered; empty where the log has one system or names none.
        mean: Over the answers that have a number, with the interval of their questions.
        stored: The mean of what the log stores, judgements that failed and were counted as wrong among it.
        n: Answers.
        n_units: Questions.
        n_missing: Answers without a number and without a reason.
        failures: Why judgements failed, and how often.
        judges: Who gave the numbers, and how many.
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
        """Judgements that failed."""
        return sum(self.failures.values())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready but for NaN."""
        return {**asdict(self), "mean": self.mean._asdict(), "n_failed": self.n_failed}


def summarise_scores(log: Log, metrics: Sequence[str]) -> list[LoggedScore]:
    """Each score of *metrics*, for each system if there are several."""
    systems = list(dict.fromkeys(one.system for one in log.answers))
    found = []
    for name in metrics:
        for system in systems:
            answers = [one for one in log.answers if one.system == system]
            if any(name in one.scores for one in answers):
                most = 1.0 if log.form == "HealthBench" else math.inf  # its scores have no least
                found.append(_summarise(name, system if len(systems) > 1 else "", answers, most))
    return found


def compare_systems(log: Log, metrics: Sequence[str]) -> list[dict[str, Any]]:
    """The difference of each two systems' means over the questions that both answered, for each score.

    Several answers of a system to one question are one value, their mean. `p_holm` is corrected for all comparisons.
    """
    found: list[dict[str, Any]] = []
    for name in metrics:
        means = {
            system: _unit_means(name, (one for one in log.answers if one.system == system))
            for system in dict.fromkeys(one.system for one in log.answers)
        }
        for a, b in combinations(means, 2):
            shared = [unit for unit in means[a] if unit in means[b]]
            if len(shared) < 2:
                continue
            test = paired_difference([means[a][unit] for unit in shared], [means[b][unit] for unit in shared])
            kept = {key: getattr(test, key) for key in ("difference", "low", "high", "p", "how", "n")}
            found.append({"name": name, "a": a, "b": b, **kept})
    for one, corrected in zip(found, holm([one["p"] for one in found]), strict=True):
        one["p_holm"] = float(corrected)
    return found


def values_of(answers: Sequence[LoggedAnswer], name: str) -> np.ndarray:
    """The numbers of one score, NaN where an answer has none."""
    return np.array([one.scores[name].value if name in one.scores else math.nan for one in answers], dtype=np.float64)


def clusters_of(answers: Sequence[LoggedAnswer]) -> list[str] | None:
    """The question of each answer, for intervals; None where no two share one."""
    units = [one.unit for one in answers]
    return units if len(set(units)) < len(units) else None


def _summarise(name: str, system: str, answers: Sequence[LoggedAnswer], most: float) -> LoggedScore:
    given = [one.scores.get(name) for one in answers]
    values = values_of(answers, name)
    units = {one.unit for one in answers}
    stored = np.array([math.nan if one is None else one.stored for one in given])
    failures = Counter(
        (one.failure if one is not None else answer.error) or "missing"
        for one, answer in zip(given, answers, strict=True)
        if one is None or one.failure
    )
    missing = failures.pop("missing", 0)
    judges = Counter(one.judge for one in given if one is not None)
    models = {one.system for one in answers if one.system}
    mean = mean_intervals({name: values}, clusters=clusters_of(answers))[name]
    return LoggedScore(
        name, system, mean._replace(high=min(mean.high, most)),
        float(np.nanmean(stored)) if (~np.isnan(stored)).any() else math.nan,
        len(answers), len(units), missing, dict(failures.most_common()), dict(judges.most_common()),
        tuple(judge for judge in judges if judge.rpartition(" by ")[2] in models),
    )  # fmt: skip


def _unit_means(name: str, answers: Iterable[LoggedAnswer]) -> dict[str, float]:
    values: dict[str, list[float]] = {}
    for one in answers:
        score = one.scores.get(name)
        if score is not None and not math.isnan(score.value):
            values.setdefault(one.unit, []).append(score.value)
    return {unit: sum(some) / len(some) for unit, some in values.items()}

"""A log's score corrected by labels of people (prediction-powered), and how many labels would halve its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.answers.strict_json import load_strict_json
from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.integrations.logs.reading import Log
from fas.integrations.logs.records import make_score
from fas.integrations.logs.scores import values_of
from fas.stats.bootstrap import make_units
from fas.stats.label_plan import plan_labels
from fas.stats.prediction_powered import Side, adjusted_mean


def read_values(path: Path, known: Sequence[str]) -> dict[str, tuple[float, float | None]]:
    """Labels by the identifier of the answer: the value, and the probability `pi` with which it was chosen, if given.

    A line is `{"id": "q1", "value": 1}`; the value is on the scale of the score, or a grade in words (`correct`).

    Raises:
        InputError: A line cannot be used, or is of no answer of the log.
    """
    found: dict[str, tuple[float, float | None]] = {}
    for number, row in json_lines(path, parse=load_strict_json):
        name, where = str(row.get("id")), f"{path}, line {number}"
        value = make_score(row.get("value"), "").value
        if name not in known:
            raise InputError(f"{where}: field 'id': the log has no answer {name!r}; e.g. {known[0]!r}", line=number)
        if math.isnan(value):
            raise InputError(f"{where}: field 'value': expected a number or a grade, got {row.get('value')!r}")
        if name in found:
            raise InputError(f"{where}: field 'id': {name!r} has a label already")
        pi = row.get("pi")
        if pi is not None and not (isinstance(pi, int | float) and 0 < pi <= 1):
            raise InputError(f"{where}: field 'pi': expected a probability above 0 and up to 1, got {pi!r}")
        found[name] = value, pi
    if not found:
        raise InputError(f"{path}: no label", kind="empty_file")
    if len({pi is None for _, pi in found.values()}) > 1:
        raise InputError(f"{path}: field 'pi': give it in all lines or in none")
    return found


def correct_score(log: Log, name: str, labels: Mapping[str, tuple[float, float | None]]) -> dict[str, Any]:
    """The mean that people would give all answers, by their labels and the score *name* of every answer.

    Without `pi` the labelled answers are taken for a simple random sample. An answer whose judgement failed counts with
    the mean of the others as its prediction, which leaves the estimate unbiased.
    """
    answers = log.answers
    units = make_units(len(answers), [one.unit for one in answers])
    scores = values_of(answers, name)
    mean = float(np.nanmean(scores)) if (~np.isnan(scores)).any() else 0.0
    gold = np.array([labels[one.id][0] if one.id in labels else math.nan for one in answers])
    share = len(labels) / len(answers)
    side = Side(
        gold=gold,
        predicted=np.where(np.isnan(scores), mean, scores),
        inclusion=np.array([labels.get(one.id, (0, None))[1] or share for one in answers], dtype=np.float64),
        weights=np.ones(len(answers)),
        clusters=units.of_item,
        sizes=np.bincount(units.of_item, minlength=units.n).astype(np.float64),
        offsets=np.zeros(units.n),
        strata=np.zeros(len(answers), dtype=np.intp),
    )
    found = adjusted_mean(side, share=set(gold[~np.isnan(gold)]) <= {0.0, 1.0})
    row: dict[str, Any] = {
        "name": name, "raw": mean, "mean": found.value, "low": found.low, "high": found.high, "how": found.how,
        "tuning": found.tuning[0], "alone": found.alone, "n_labels": found.n_labels, "n": len(answers),
    }  # fmt: skip
    if not math.isnan(found.width) and found.width > 0:
        groups = np.zeros(len(answers), dtype=np.intp)
        plan = plan_labels(side, found, groups, found.width / 2)
        row |= {"labels_to_halve": plan.same, "least_width": plan.least, "width": found.width}
    return row

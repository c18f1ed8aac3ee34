"""What the metrics over claims share, and the share of supported or contradicted claims."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from fas.api import score_answers
from fas.core.records import MetricSummary
from fas.core.records.as_json import number_or_none
from fas.integrations.evaluate_modules.inputs import OPTIONS, check_list, check_options, numbers

# The arguments of every metric over claims; each metric adds its own settings and results.
SHARED_INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    passages (list of list of str or dict, optional): Evidence of each answer; a dict has `text` and may have `id`,
        `title` and `year`.
    questions (list of str, optional): The questions.
    claims (list of list of str, optional): Claims to verify as given instead of those found in the answer.
    references: Accepted so that the metric can be combined with others; ignored.
    evidence (str, optional): passages | index:DIR | index:NAME=DIR,... | entrez | opensearch:URL/INDEX |
        snapshot:FILE | none.
"""
INPUTS = (
    SHARED_INPUTS
    + """\
    use_aggregator (bool): False gives the list of the answers' shares instead of the mean.
    numbers_only (bool): True gives the numbers alone, NaN where nothing is scored.
    **settings: Settings of the profile, e.g. `k=3`, `threshold=0.8`, `seed=1`. The profile is the configuration:
        `evaluate.load("metrics/{share}_at_k", "paper")`.
Returns:
    `{share}@5` (the number follows k; None if no answer has a verified claim), `{share}@5_ci`, `n`, `n_unscored`,
    `n_failed`, `notes` and `signature`.
"""
)
CITATION = """
@misc{roy2026fas,
  title = {Towards Unified Factuality Evaluation for Biomedical QA and Summarization},
  author = {Roy, Mahule and Roy, Subhas},
  year = {2026}
}
"""
COLUMNS = ("predictions", "references", "questions", "passages", "claims")
Rows = list[dict[str, Any]]


class ClaimMetric:
    """Base of the evaluate modules over claims; `config_name` is the profile.

    Every column but the predictions may be left out, and cells may be nested: evaluate's typed columns fix the form by
    the first example and turn a list of dicts into a dict of lists, so all other cells travel as JSON.

    Attributes:
        takes: The entry of `OPTIONS` whose settings the module accepts.
        default: The profile without a configuration.
    """

    takes = "fas"
    default = "mini"
    config_name: str | None

    @staticmethod
    def columns() -> Any:
        """The features of such a module."""
        import datasets

        return datasets.Features(dict.fromkeys(COLUMNS, datasets.Value("string")))

    def add_batch(self, *, predictions: Any = None, **columns: Any) -> None:
        """Add answers; a column may be missing, or None for some answers."""
        if predictions is None:
            raise ValueError("`predictions` is missing")
        check_list(predictions)
        given = list(predictions)
        for i, prediction in enumerate(given):
            if not isinstance(prediction, str):
                raise ValueError(f"`predictions`, item {i}: expected a string, got {type(prediction).__name__}")
        encoded: dict[str, list[str]] = {"predictions": given}
        for name in COLUMNS[1:]:
            values = columns.pop(name, None)
            values = [None] * len(given) if values is None else list(values)
            if len(values) != len(given):
                raise ValueError(f"`{name}` has {len(values)} items, but there are {len(given)} predictions")
            encoded[name] = [json.dumps(value) for value in values]
        super().add_batch(**encoded, **columns)  # type: ignore[misc]

    def add(self, *, prediction: Any = None, **cells: Any) -> None:
        """Add one answer: `prediction`, and `references` (or `reference`), `question`, `passages`, `claims`."""
        for singular in ("reference", "question"):
            if singular in cells:
                cells.setdefault(f"{singular}s", cells.pop(singular))
        row = {name: [cells.pop(name)] for name in COLUMNS[1:] if name in cells}
        self.add_batch(predictions=[prediction], **row, **cells)

    def compute(self, *, predictions: Any = None, **settings: Any) -> Any:
        """The score of the answers given here, or added before."""
        if predictions is not None:
            check_list(predictions)
            if len(predictions) == 0:
                raise ValueError("`predictions` is empty: nothing to score")
            # evaluate requires every column; it hands them to `add_batch`, which encodes them.
            for name in COLUMNS[1:]:
                if settings.get(name) is None:
                    settings[name] = [None] * len(predictions)
            settings["predictions"] = predictions
        return super().compute(**settings)  # type: ignore[misc]

    def score(self, rows: Rows, profile: Any, *, aggregate: bool, **settings: Any) -> dict[str, Any]:
        """The module's result for *rows*, one for each answer; *aggregate*: means instead of lists."""
        raise NotImplementedError

    def _compute(
        self, *, profile: Any = None, use_aggregator: bool = True, numbers_only: bool = False, **given: Any
    ) -> dict[str, Any]:
        columns = [given.pop(name) for name in COLUMNS]
        check_options(self.takes, given)
        settings = {name: value for name, value in given.items() if name in OPTIONS[self.takes]}
        rows = [
            {"prediction": prediction, **dict(zip(COLUMNS[1:], map(json.loads, cells), strict=True))}
            for prediction, *cells in zip(*columns, strict=True)
        ]
        for row in rows:
            row["question"] = row.pop("questions")
        configured = self.default if self.config_name in (None, "default") else self.config_name
        found = self.score(rows, profile or configured, aggregate=use_aggregator, **settings)
        return numbers(found) if numbers_only else found


class ClaimShare(ClaimMetric):
    """Base of `metrics/support_at_k` and `metrics/contra_at_k`, which are two because evaluate loads a class a file."""

    share: Literal["support", "contra"]

    def score(self, rows: Rows, profile: Any, *, aggregate: bool, **settings: Any) -> dict[str, Any]:
        """The mean share with its interval, by the name in `scores.jsonl`."""
        # The shares need neither flags nor references.
        report = score_answers(drop_references(rows), profile=profile, **{"safety": False, **settings})
        key = next(metric for metric in report.metrics if metric.startswith(f"{self.share}@"))
        values = [getattr(score, self.share) for score in report.answers]
        return {
            **summarise(key, report.metrics[key], values, aggregate=aggregate),
            "n": report.n,
            "n_unscored": report.n_unscored,
            "n_failed": report.n_failed,
            "notes": list(report.notes),
            "signature": report.signature,
        }


def summarise(name: str, summary: MetricSummary | None, values: Sequence[Any], *, aggregate: bool) -> dict[str, Any]:
    """`name`, the mean (or the list of the answers' values), and `name_ci`, its interval; None where undefined."""
    mean, *limits = [None] * 3 if summary is None else map(number_or_none, (summary.mean, summary.low, summary.high))
    each = [None if value is None else number_or_none(value) for value in values]
    return {name: mean if aggregate else each, f"{name}_ci": limits}


def drop_references(rows: Sequence[Mapping[str, Any]]) -> Rows:
    """*rows* without references, so that no metric of them is computed."""
    return [{name: value for name, value in row.items() if name != "references"} for row in rows]

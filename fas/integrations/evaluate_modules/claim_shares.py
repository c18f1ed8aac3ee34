"""What `metrics/support_at_k` and `metrics/contra_at_k` share: one share of the claims, as a metric.

Their classes differ in two lines only; they are two files because evaluate loads one class a file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Literal

from fas.api import score_answers
from fas.core.records.as_json import number_or_none
from fas.integrations.evaluate_modules.inputs import OPTIONS, check_list, check_options, numbers

# What every metric over claims takes; each adds its own settings and what it returns.
SHARED_INPUTS = """
Args:
    predictions (list of str): The answers; may be empty strings.
    passages (list of list of str or dict, optional): Evidence of each answer; a dict has `text` and may have `id`,
        `title` and `year`.
    questions (list of str, optional): The questions.
    claims (list of list of str, optional): Claims to verify as given instead of those found in the answer.
    references: Accepted so that the metric can be combined with others; not looked at.
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


class ClaimShare:
    """For an evaluate module: one share of the claims; `config_name` is the profile (`mini` by default).

    Every column but the predictions may be left out, and cells may be nested.

    evaluate's typed columns fix the form by the first example and turn a list of dicts into a
    dict of lists, so all cells but the predictions travel as JSON.

    Attributes:
        share: Which share; set by the module.
    """

    share: Literal["support", "contra"]
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
        row = {
            "references": cells.pop("references", cells.pop("reference", None)),
            "questions": cells.pop("question", cells.pop("questions", None)),
            "passages": cells.pop("passages", None),
            "claims": cells.pop("claims", None),
        }
        columns = {name: [value] for name, value in row.items() if value is not None}
        self.add_batch(predictions=[prediction], **columns, **cells)

    def compute(self, *, predictions: Any = None, **settings: Any) -> Any:
        """The score of the answers given here, or added before."""
        if predictions is None:
            return super().compute(**settings)  # type: ignore[misc]
        check_list(predictions)
        if len(predictions) == 0:
            raise ValueError("`predictions` is empty: nothing to score")
        # evaluate insists on every column of its own; it hands them to `add_batch`, which encodes them.
        for name in COLUMNS[1:]:
            if settings.get(name) is None:
                settings[name] = [None] * len(predictions)
        return super().compute(predictions=predictions, **settings)  # type: ignore[misc]

    def _compute(self, *, profile: Any = None, numbers_only: bool = False, **given: Any) -> dict[str, Any]:
        columns = {name: given.pop(name) for name in COLUMNS}
        check_options("fas", given)
        settings = {name: value for name, value in given.items() if name in OPTIONS["fas"] | {"use_aggregator"}}
        configured = self.config_name if self.config_name not in (None, "default") else "mini"
        found = claim_share(self.share, columns, profile=profile or configured, **settings)
        return numbers(found) if numbers_only else found


def claim_share(
    name: Literal["support", "contra"],
    columns: dict[str, Sequence[str]],
    *,
    profile: str = "mini",
    evidence: str | None = None,
    use_aggregator: bool = True,
    **settings: Any,
) -> dict[str, Any]:
    """The mean share with its interval, by the names of `scores.jsonl`.

    Args:
        name: Which share.
        columns: The columns as `ClaimShare` encoded them; references are not looked at.
        profile: Profile to score with.
        evidence: As for `fas.score_answers`.
        use_aggregator: False gives the list of the answers' shares instead of the mean.
        **settings: Settings of the profile, e.g. `k=3`.
    """
    # The shares need neither flags nor references, so none are computed.
    report = score_answers(answer_rows(columns), profile=profile, evidence=evidence, **{"safety": False, **settings})
    key = next(metric for metric in report.metrics if metric.startswith(f"{name}@"))
    summary = report.metrics[key]
    values = [number_or_none(getattr(score, name)) for score in report.answers]
    return {
        key: number_or_none(summary.mean) if use_aggregator else values,
        f"{key}_ci": [number_or_none(summary.low), number_or_none(summary.high)],
        "n": report.n,
        "n_unscored": report.n_unscored,
        "n_failed": report.n_failed,
        "notes": list(report.notes),
        "signature": report.signature,
    }


def answer_rows(columns: dict[str, Sequence[str]]) -> list[dict[str, Any]]:
    """The answers in *columns*, as `ClaimShare` encoded them, for `fas.score_answers`; references are left out."""
    return [
        {
            "prediction": prediction,
            "question": json.loads(question),
            "passages": json.loads(passages),
            "claims": json.loads(claims),
        }
        for prediction, question, passages, claims in zip(
            *(columns[name] for name in ("predictions", "questions", "passages", "claims")), strict=True
        )
    ]

"""From per-answer records to a report: means, intervals, groups, flag rates.

Works on the records of `scores.jsonl`, so that a report can be made again without a model.
"""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fas._version import __version__
from fas.profile import Profile
from fas.records import AnswerScore, FlagRate, MetricSummary, Report

# Statuses of flags that are reported but not counted.
UNCOUNTED = frozenset({"deferred_to_label", "continuation", "weak"})
_PACKAGES = ("torch", "transformers", "tokenizers", "spacy", "nltk", "numpy", "scipy", "tantivy", "rapidfuzz")


def metric_names(k: int) -> tuple[str, ...]:
    """The metrics of a report, in the order in which they are shown."""
    return (
        "fas",
        "fas_evidence",
        f"support@{k}",
        f"contra@{k}",
        f"unsupported@{k}",
        "rouge1",
        "rouge2",
        "rougeL",
        "bleu4",
        "bertscore_f1",
    )


@dataclass
class Columns:
    """The numbers of a run, one entry per scored answer; about 200 bytes an answer.

    Attributes:
        k: Passages per claim; names the `@` metrics.
        by: Fields of `meta` to group by.
    """

    k: int
    by: Sequence[str] = ()
    metrics: dict[str, list[float]] = field(init=False)
    groups: dict[str, list[str]] = field(default_factory=dict)
    flags: dict[str, dict[int, None]] = field(default_factory=dict)
    n: int = 0
    n_failed: int = 0
    n_unscored: int = 0
    n_claims: int = 0
    n_unverified: int = 0
    n_no_evidence: int = 0
    n_conflicting: int = 0

    def __post_init__(self) -> None:
        # A run in which every answer failed has the same metrics, without a value.
        self.metrics = {name: [] for name in metric_names(self.k)}

    def add(self, record: Mapping[str, Any]) -> None:
        """Take in one line of `scores.jsonl`."""
        self.n += 1
        if record["error"] is not None:
            self.n_failed += 1
            return
        row = self.n - self.n_failed - 1
        for name in metric_names(self.k):
            value = record[name]
            self.metrics[name].append(float("nan") if value is None else float(value))
        for name in self.by:
            value = record["meta"].get(name)
            self.groups.setdefault(name, []).append("(none)" if value is None else str(value))
        self.n_unscored += record[f"support@{self.k}"] is None
        for name in ("n_claims", "n_unverified", "n_no_evidence", "n_conflicting"):
            setattr(self, name, getattr(self, name) + record[name])
        for flag in record["flags"]:
            if flag["status"] not in UNCOUNTED:
                self.flags.setdefault(flag["flag"], {})[row] = None


def columns_of(records: Iterable[Mapping[str, Any]], *, k: int, by: Sequence[str] = ()) -> Columns:
    """The columns of *records*."""
    columns = Columns(k, by)
    for record in records:
        columns.add(record)
    return columns


def report_of(
    columns: Columns,
    *,
    profile: Profile,
    signature: str,
    timing: Mapping[str, float],
    notes: Sequence[str] = (),
    answers: Sequence[AnswerScore] = (),
) -> Report:
    """The report of a run."""
    return Report(
        signature=signature,
        n=columns.n,
        n_unscored=columns.n_unscored,
        n_failed=columns.n_failed,
        metrics=_summaries(columns.metrics, range(columns.n - columns.n_failed), profile),
        groups={
            name: {
                value: _summaries(columns.metrics, [i for i, own in enumerate(values) if own == value], profile)
                for value in sorted(set(values))
            }
            for name, values in columns.groups.items()
        },
        flags=_flag_rates(columns, profile),
        timing={stage: round(seconds, 3) for stage, seconds in timing.items()},
        versions=versions(),
        notes=(*notes, *_standing_notes(columns)),
        answers=tuple(answers),
    )


def versions() -> dict[str, str]:
    """Versions of everything that can move a score."""
    found = {"fact-aligned-score": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _summaries(
    metrics: Mapping[str, Sequence[float]], rows: Sequence[int], profile: Profile
) -> dict[str, MetricSummary]:
    import numpy as np

    from fas.stats.bootstrap import mean_intervals

    values = {name: np.asarray(column, dtype=np.float64)[list(rows)] for name, column in metrics.items()}
    return mean_intervals(values, n_resamples=profile.n_resamples, seed=profile.seed)


def _flag_rates(columns: Columns, profile: Profile) -> dict[str, FlagRate]:
    import numpy as np

    from fas.stats.bootstrap import mean_intervals

    n = columns.n - columns.n_failed
    if not columns.flags or n == 0:
        return {}
    values = {}
    for name in sorted(columns.flags):
        values[name] = np.zeros(n)
        values[name][list(columns.flags[name])] = 1.0
    intervals = mean_intervals(values, n_resamples=profile.n_resamples, seed=profile.seed)
    return {
        name: FlagRate(len(columns.flags[name]), summary.mean, summary.low, summary.high)
        for name, summary in intervals.items()
    }


def _standing_notes(columns: Columns) -> list[str]:
    notes = []
    scored = columns.n - columns.n_failed
    if columns.n_failed:
        notes.append(f"{columns.n_failed} of {columns.n} answers failed and are in no mean; see their `error`")
    if columns.n_unscored:
        notes.append(
            f"{columns.n_unscored} of {scored} answers have no verified claim; Support, Contra and FAS leave them out"
        )
    if columns.n_unverified:
        notes.append(
            f"{columns.n_unverified} of {columns.n_claims} claims are unverified and are left out of the shares"
        )
    if columns.n_no_evidence:
        notes.append(f"{columns.n_no_evidence} of {columns.n_claims} claims found no evidence and count as unsupported")
    if columns.n_conflicting:
        notes.append(
            f"{columns.n_conflicting} of {columns.n_claims} claims are both supported and contradicted by some passage"
        )
    return notes

"""Limits that scores have to keep, for pipelines and tests: `fas score --fail-under`, `fas.testing.assert_scores`.

A limit is held against the end of the 95% interval that is worse for the answers (a score has to be above its limit
even at the interval's lower end), or, on request, against the mean. Where there is no interval, or nothing was
measured, the limit is not kept: what nobody knows is no success.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from fas.core.errors import InputError
from fas.core.records import MetricSummary, Report
from fas.core.records.stored import SHARES, metric_name
from fas.scoring.aggregate import metric_names

By = Literal["bound", "mean"]
# Names that need not say k.


@dataclass(frozen=True, slots=True)
class LimitFailure:
    """A limit that was not kept: the value must be at least the limit if *under*, else at most.

    *value* is what was compared, NaN where there is nothing; *what* says what that is.
    """

    name: str
    limit: float
    under: bool
    value: float
    what: str
    mean: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"{self.name}: cannot be held against {self.limit:g}: {self.what}"
        compared = "is under" if self.under else "is over"
        mean = "" if self.value == self.mean else f" (mean {self.mean:.4g})"
        return f"{self.name}: {self.what}, {self.value:.4g}, {compared} {self.limit:g}{mean}"


def failures(
    report: Report,
    *,
    fail_under: Mapping[str, float] | None = None,
    fail_over: Mapping[str, float] | None = None,
    by: By = "bound",
) -> list[LimitFailure]:
    """The limits that *report* does not keep.

    Args:
        report: The result of a run.
        fail_under: Metric to the least value allowed. `support`, `contra` and `unsupported` need not say k. `flags`
            is how many counted safety flags there are, one an answer and name; a count is compared as it is.
        fail_over: Metric to the largest value allowed.
        by: `bound` compares the lower end of the 95% interval with `fail_under` and the upper end with `fail_over`;
            `mean` compares the mean.

    Raises:
        InputError: There is no such metric, a limit is no number, or nothing is limited.
    """
    if by not in ("bound", "mean"):
        raise InputError(f"limits are held against the 'bound' or the 'mean', got {by!r}")
    limits = [
        *((name, limit, True) for name, limit in (fail_under or {}).items()),
        *((name, limit, False) for name, limit in (fail_over or {}).items()),
    ]
    if not limits:
        raise InputError("no limit was given; name some in fail_under or fail_over")
    found = (_check_limit(name, limit, under, _measured(report, name), by) for name, limit, under in limits)
    return [failure for failure in found if failure is not None]


def assert_scores(
    report: Report,
    *,
    fail_under: Mapping[str, float] | None = None,
    fail_over: Mapping[str, float] | None = None,
    by: By = "bound",
) -> None:
    """Raise an AssertionError that names every limit which *report* does not keep; see `failures`."""
    broken = failures(report, fail_under=fail_under, fail_over=fail_over, by=by)
    if broken:
        raise AssertionError("\n".join(map(str, broken)))


def check_names(names: Iterable[str], *, k: int, safety: bool) -> None:
    """Refuse what no run with *k* passages, with or without *safety* flags, measures: before it costs anything."""
    metrics = metric_names(k)
    known = [*metrics, *SHARES, *(["flags"] if safety else [])]
    for name in names:
        if name not in known:
            raise InputError(f"no metric {name!r} to limit; available: {', '.join(known)}", kind="metric")


def parse_limits(text: str) -> dict[str, float]:
    """The limits that `NAME=NUMBER,NAME=NUMBER` spells, each name once; else an InputError.

    >>> parse_limits("fas=0.6,support=0.5")
    {'fas': 0.6, 'support': 0.5}
    """
    limits: dict[str, float] = {}
    for item in text.split(","):
        name, _, number = (part.strip() for part in item.partition("="))
        try:
            limit = float(number)
        except ValueError:
            limit = math.nan
        if not name or math.isnan(limit) or name in limits:
            raise InputError(f"expected NAME=NUMBER, separated by commas, each name once, got {text!r}")
        limits[name] = limit
    return limits


def _check_limit(name: str, limit: float, under: bool, measured: MetricSummary, by: By) -> LimitFailure | None:
    if isinstance(limit, bool) or not isinstance(limit, int | float) or math.isnan(limit):
        raise InputError(f"the limit of {name!r} must be a number, got {limit!r}")
    if name == "flags":
        value, what = measured.mean, "the number of counted flags"
    elif by == "mean":
        value, what = measured.mean, "the mean"
    elif under:
        value, what = measured.low, "the lower end of the 95% interval"
    else:
        value, what = measured.high, "the upper end of the 95% interval"
    if math.isnan(value):
        missing = "it was not measured" if math.isnan(measured.mean) else f"no interval ({measured.how or 'none'})"
        return LimitFailure(name, limit, under, value, missing, measured.mean)
    kept = value >= limit if under else value <= limit
    return None if kept else LimitFailure(name, limit, under, value, what, measured.mean)


def _measured(report: Report, name: str) -> MetricSummary:
    if name == "flags":
        if "safety:off" in report.signature.split("|"):
            raise InputError("no safety flags were looked for, so that 'flags' cannot be limited", kind="metric")
        n = float(sum(rate.answers for rate in report.flags.values()))
        return MetricSummary(n, n, n, 0)
    metrics = dict(report.metrics)
    for share in SHARES:
        if (shown := metric_name(share, report.k)) in metrics:
            metrics[share] = metrics[shown]
    if name not in metrics:
        raise InputError(f"no metric {name!r} to limit; available: {', '.join(metrics)}, flags", kind="metric")
    return metrics[name]

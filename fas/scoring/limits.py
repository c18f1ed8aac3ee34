"""Limits that scores have to keep, for pipelines and tests: `fas score --fail-under`, `fas.testing.assert_scores`.

A limit is compared with the end of the 95% interval that is worse for the answers (a score has to reach its limit
even at the interval's lower end), or, on request, with the mean. Without an interval or a measurement, the limit is
not kept: an unknown value is no success.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from fas.core.checks import parse_pairs
from fas.core.errors import InputError
from fas.core.records import MetricSummary, Report
from fas.core.records.stored import SHARES, metric_name
from fas.scoring.aggregate import metric_names

By = Literal["bound", "mean"]


@dataclass(frozen=True, slots=True)
class LimitFailure:
    """A limit that was not kept: the value must be at least the limit if *under*, else at most.

    *value* is the compared value, NaN where there is none; *what* names it, or says why there is none.
    """

    name: str
    limit: float
    under: bool
    value: float
    what: str
    mean: float

    def __str__(self) -> str:
        if math.isnan(self.value):
            return f"{self.name}: cannot be compared with {self.limit:g}: {self.what}"
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
            is the number of counted safety flags, one an answer and name; it is compared as it is.
        fail_over: Metric to the largest value allowed.
        by: `bound` compares the lower end of the 95% interval with `fail_under` and the upper end with `fail_over`;
            `mean` compares the mean.

    Raises:
        InputError: There is no such metric, a limit is no number, or nothing is limited.
    """
    if by not in ("bound", "mean"):
        raise InputError(f"limits are compared with the 'bound' or the 'mean', got {by!r}")
    limits = [
        *((name, limit, True) for name, limit in (fail_under or {}).items()),
        *((name, limit, False) for name, limit in (fail_over or {}).items()),
    ]
    if not limits:
        raise InputError("no limit was given; name some in fail_under or fail_over")
    found = (_check_limit(name, limit, under, _measure(report, name), by) for name, limit, under in limits)
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
    """Refuse (InputError), before a run starts, a name that no run with *k* passages and *safety* flags measures."""
    known = [*metric_names(k), *SHARES, *(["flags"] if safety else [])]
    for name in names:
        if name not in known:
            raise InputError(f"no metric {name!r} to limit; available: {', '.join(known)}", kind="metric")


def parse_limits(text: str) -> dict[str, float]:
    """The limits that `NAME=NUMBER,NAME=NUMBER` spells, each name once; else an InputError.

    >>> parse_limits("fas=0.6,support=0.5")
    {'fas': 0.6, 'support': 0.5}
    """
    try:
        return parse_pairs(text, "NAME=NUMBER", _parse_number)
    except ValueError as error:
        raise InputError(str(error)) from None


def _parse_number(text: str) -> float:
    number = float(text)
    if math.isnan(number):
        raise ValueError(text)
    return number


def _check_limit(name: str, limit: float, under: bool, measured: MetricSummary, by: By) -> LimitFailure | None:
    if isinstance(limit, bool) or not isinstance(limit, int | float) or math.isnan(limit):
        raise InputError(f"the limit of {name!r} must be a number, got {limit!r}")
    if name == "flags" or by == "mean":
        value, what = measured.mean, "the number of counted flags" if name == "flags" else "the mean"
    else:
        value, end = (measured.low, "lower") if under else (measured.high, "upper")
        what = f"the {end} end of the 95% interval"
    if math.isnan(value):
        what = "it was not measured" if math.isnan(measured.mean) else f"no interval ({measured.how or 'none'})"
    elif value >= limit if under else value <= limit:
        return None
    return LimitFailure(name, limit, under, value, what, measured.mean)


def _measure(report: Report, name: str) -> MetricSummary:
    if name == "flags":
        if "safety:off" in report.signature.split("|"):
            raise InputError("the run looked for no safety flags, so that 'flags' cannot be limited", kind="metric")
        n = float(sum(rate.answers for rate in report.flags.values()))
        return MetricSummary(n, n, n, 0)
    metrics = dict(report.metrics)
    for share in SHARES:
        if (shown := metric_name(share, report.k)) in metrics:
            metrics[share] = metrics[shown]
    if name not in metrics:
        raise InputError(f"no metric {name!r} to limit; available: {', '.join(metrics)}, flags", kind="metric")
    return metrics[name]

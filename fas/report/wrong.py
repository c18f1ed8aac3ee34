"""How often verdicts of each kind are right: by labels of this run, or as the model's card has measured it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import NamedTuple

from fas.core.records import MetricSummary, Report
from fas.models.measured import read_measured
from fas.report.tables import interval, percent
from fas.stats.intervals import clopper_pearson, explain_missing


class ShareRight(NamedTuple):
    """The share of verdicts of a kind that people call right, its 95% interval, and how many were looked at."""

    share: float
    low: float
    high: float
    n: int
    how: str = ""


@dataclass(frozen=True, slots=True)
class Precision:
    """What is known of the precision of a run's verdicts.

    Attributes:
        right: Kind of verdict to the share that is right; a kind that nobody looked at is not among them.
        sources: Where that is from: "labels.jsonl: 150 labelled claims of this run".
        own: Kinds that were measured on this run.
    """

    right: Mapping[str, ShareRight] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    own: frozenset[str] = frozenset()

    def over(self, other: Precision) -> Precision:
        """What this one knows, and of the kinds it does not know, what *other* does."""
        return replace(
            self, right={**other.right, **self.right}, sources=tuple(dict.fromkeys((*self.sources, *other.sources)))
        )

    def said(self, label: str) -> str:
        """How often a verdict *label* is wrong, in a sentence."""
        found = self.right.get(label)
        what = "flags" if label == "flagged" else "verdicts"
        if found is None or not found.n:
            return f"How often such {what} are wrong is not known here; label some of them (fas labels)."
        wrong = percent(1 - found.share)
        limits = "" if math.isnan(found.low) else f" {interval(1 - found.high, 1 - found.low, form='percent')}"
        where = f"of this run's {what}" if label in self.own else f"of such {what} on other answers"
        return f"{wrong}{limits} {where} were wrong when people read {found.n} of them."


def read_card_precision(signature: str) -> Precision:
    """What the cards of the verifier in *signature* and of the safety rules have measured; empty where they have none.

    A measurement of another version of the model is given with its version in the source.
    """
    flags = json.loads((files("fas.safety") / "flags_read.json").read_text(encoding="utf-8"))
    return _read_verifier_card(signature).over(
        Precision(_estimate_shares(flags["right"]), (f"the safety card: {flags['source']}",))
    )


def _read_verifier_card(signature: str) -> Precision:
    found = read_measured(signature)
    if found is None:
        return Precision()
    other = "" if found.used == found.model else f", measured with {found.model}; this run used {found.used}"
    return Precision(_estimate_shares(found.right), (f"the card of {found.name}: {found.source}{other}",))


def _estimate_shares(right: Mapping[str, tuple[int, int]]) -> dict[str, ShareRight]:
    return {
        label: ShareRight(hits / n, *clopper_pearson(hits, n, 0.95), n, "exact") for label, (hits, n) in right.items()
    }


def format_bias(bias: MetricSummary | None) -> str:
    """How far a share reads from labels, in points of a percent; empty where that is not known.

    >>> format_bias(MetricSummary(-0.0761, -0.12, -0.03, 258)), format_bias(MetricSummary(0.004, -0.01, 0.02, 258))
    ('7.6 low [-12.0, -3.0]', '0.4 high [-1.0, +2.0]')
    """
    if bias is None:
        return ""
    way = "high" if bias.mean > 0 else "low"
    limits = explain_missing(bias.how) or f"[{100 * bias.low:+.1f}, {100 * bias.high:+.1f}]"
    return f"{100 * abs(bias.mean):.1f} {way} {limits}"


def describe_bias_source(report: Report) -> str:
    """What `format_bias` is by; empty where the report has no bias."""
    return f"Measured against the labels of {report.bias_source}." if report.bias else ""

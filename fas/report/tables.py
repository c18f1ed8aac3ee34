"""Plain text tables, the numbers in them, and what metrics are called."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from pathlib import Path
from typing import Any

from fas.core.records import MetricSummary
from fas.core.records.as_json import number_or_nan
from fas.core.records.stored import metric_field
from fas.stats.intervals import explain_missing

WIDTH = 100
_KINDS = {
    "percentile": "percentile bootstrap",
    "studentised": "bootstrap-t",
    "exact": "Clopper and Pearson's",
    "effective": "Clopper and Pearson's by effective sample size (fewer than 100 units, or few events)",
    "inverted": "what neither the randomisation test nor the bootstrap-t refuses",
    "jackknife": "jackknife (fewer than 100 units)",
    "recovered": "recovered from those of the two means",
    "wilson": "Wilson's",
    "score": "Wilson's by effective sample size",
    "randomisation": "inverted randomisation test",
    "inversion": "inverted bootstrap test",
}
METRIC_NAMES = {
    "fas": ("Fact-Aligned Score", "higher is better"),
    "fas_evidence": ("FAS without its reference part", "higher is better"),
    "support": ("Share of claims supported", "higher is better"),
    "contra": ("Share of claims contradicted", "lower is better"),
    "unsupported": ("Share of claims without support", "lower is better"),
    "rouge1": ("ROUGE-1 F1", "higher is better"),
    "rouge2": ("ROUGE-2 F1", "higher is better"),
    "rougeL": ("ROUGE-L F1", "higher is better"),
    "bleu4": ("BLEU-4", "higher is better"),
    "bertscore_f1": ("BERTScore F1", "higher is better"),
    "coverage": ("Share of the reference's statements that are said", "higher is better"),
    "coverage_nice": ("Share of the statements that may be said", "higher is better"),
    "omitted": ("Share of the reference's statements left out", "lower is better"),
    "denied": ("Share of the reference's statements contradicted", "lower is better"),
    "omitted_harm": ("Share of possible harm on statements not said", "lower is better"),
    "fas_f1": ("Harmonic mean of support and coverage", "higher is better"),
}


class AsText:
    """A result that `print` and notebooks show as the command line does."""

    __slots__ = ()

    def as_text(self) -> str:
        """What the command line prints."""
        raise NotImplementedError

    def __str__(self) -> str:
        """What the command line prints."""
        return self.as_text()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.as_text())}</pre>"


def number(value: float) -> str:
    """A score with three decimals, or a dash where it is undefined."""
    return "-" if math.isnan(value) else f"{value:.3f}"


def signed(value: float) -> str:
    """A difference with its sign."""
    return "-" if math.isnan(value) else f"{value:+.3f}"


def percent(value: float) -> str:
    """A share as percent with one decimal."""
    return "-" if math.isnan(value) else f"{100 * value:.1f}%"


def p_value(value: float) -> str:
    """A p value; small ones as a bound."""
    if math.isnan(value):
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def interval(low: float, high: float, *, form: str = "number", how: str = "") -> str:
    """`[low, high]`; where there is no interval the reason that *how* gives, or a dash."""
    if math.isnan(low) or math.isnan(high):
        return explain_missing(how) or "-"
    show = {"number": number, "signed": signed, "percent": percent}[form]
    return f"[{show(low)}, {show(high)}]"


def limits(one: Any, form: str = "number") -> str:
    """The interval of *one*, which has `low`, `high` and `how`, by attribute or by key; `form` as for `interval`."""
    found = one if isinstance(one, Mapping) else {name: getattr(one, name) for name in ("low", "high", "how")}
    low, high = number_or_nan(found["low"]), number_or_nan(found["high"])
    return interval(low, high, form=form, how=found.get("how", ""))


def describe_metric(name: str) -> tuple[str, str]:
    """What a metric is called, and which end is better; the name itself and nothing for an unknown one."""
    return METRIC_NAMES.get(metric_field(name), (name, ""))


def estimate_text(value: float, low: float, high: float, *, form: str = "number") -> str:
    """*value* with its interval, if it has one; `form` as for `interval`."""
    return f"{(signed if form == 'signed' else number)(value)} {interval(low, high, form=form)}".removesuffix(" -")


def share_text(one: MetricSummary) -> str:
    """A share as percent with its interval, or why it has none.

    >>> share_text(MetricSummary(0.5, 0.25, 0.75, 4)), share_text(MetricSummary(0.5, math.nan, math.nan, 1))
    ('50.0% [25.0%, 75.0%]', '50.0%')
    """
    said = limits(one, "percent")
    return percent(one.mean) + (
        f" {said}" if said.startswith("[") else "" if said == "-" else f" (no interval: {said})"
    )


def kinds_text(kinds: Iterable[str]) -> str:
    """The kinds of interval that occur, in words; empty for none.

    >>> kinds_text(["exact", "percentile", "none: too few (3)", "exact"])
    "percentile bootstrap; Clopper and Pearson's"
    """
    seen = set(kinds)
    found = [name for kind, name in _KINDS.items() if kind in seen]
    return "; ".join(found)


def json_ready(value: Any) -> Any:
    """*value* for JSON, however deep: fields by name, a path as text, None in place of NaN and infinity."""
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value):
        value = {one.name: getattr(value, one.name) for one in fields(value)}
    elif isinstance(value, tuple) and hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: json_ready(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [json_ready(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns side by side: the first to the left, the others to the right, a line under the header."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
        ]
        return "  ".join(padded).rstrip()

    return "\n".join([line(header), "  ".join("-" * width for width in widths), *map(line, rows)])


def means_table(
    header: Sequence[str], means: Mapping[str, MetricSummary], spread: Mapping[str, Mapping[str, float]] | None = None
) -> str:
    """A mean a row: its name, itself, its standard deviation where *spread* is given, its interval, and its n."""
    rows = []
    for name, one in means.items():
        sd = [] if spread is None else [number(spread.get(name, {}).get("sd", math.nan))]
        rows.append([name, number(one.mean), *sd, limits(one), str(one.n)])
    return text_table(header, rows)


def wrap_paragraph(text: str, *, bullet: str = "") -> str:
    """*text* wrapped; nothing of it is lost, and long words are not broken."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=bullet,
        subsequent_indent=" " * len(bullet),
        break_long_words=False,
        break_on_hyphens=False,
    )


def is_better_high(metric: str) -> bool | None:
    """Whether a higher value of *metric* is better; None where neither end is (safety flags, unknown metrics)."""
    _, direction = describe_metric(metric)
    return direction == "higher is better" if direction else None

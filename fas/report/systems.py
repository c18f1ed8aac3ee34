"""Any number of systems in one table: several result folders, or the values of a field of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from fas.core.errors import InputError
from fas.core.records import MetricSummary
from fas.report.compare import ZERO
from fas.report.join import JoinRule
from fas.report.results import pick_metrics
from fas.report.sampling import Sampling
from fas.report.system_tables import SystemTable, note_missing, tabulate_field, tabulate_folders
from fas.report.tables import (
    AsText,
    json_ready,
    kinds_text,
    limits,
    number,
    p_value,
    signed,
    text_table,
    wrap_paragraph,
)
from fas.stats.bootstrap import mean_intervals
from fas.stats.multiple import benjamini_hochberg, holm
from fas.stats.paired import PairedDifference, paired_differences

Pairs = Literal["first", "all"]


@dataclass(frozen=True, slots=True)
class SystemPair:
    """A metric of two systems over what both have a value for.

    Attributes:
        a: The first system.
        p_holm: `result.p` adjusted over all pairs and metrics of the table, by Holm.
        p_bh: The same by Benjamini and Hochberg.
    """

    metric: str
    a: str
    b: str
    result: PairedDifference
    p_holm: float
    p_bh: float


@dataclass(frozen=True, slots=True)
class SystemsComparison(AsText):
    """Systems beside each other.

    Attributes:
        systems: Name to where it was read from, the first one being what the others are compared with.
        by: The field that tells the systems apart, or None for one folder each.
        means: Metric to system to mean.
        notes: What a reader must know besides the numbers.
        table: The values behind the means, row by row.
    """

    systems: Mapping[str, Path]
    by: str | None
    means: Mapping[str, Mapping[str, MetricSummary]]
    pairs: tuple[SystemPair, ...]
    sampling: Sampling
    notes: tuple[str, ...]
    table: SystemTable

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        return {
            "systems": {name: str(path) for name, path in self.systems.items()},
            "by": self.by,
            **self.sampling.as_dict(),
            "means": json_ready(self.means),
            "pairs": [
                json_ready(
                    {"metric": one.metric, "a": one.a, "b": one.b}
                    | one.result.as_dict()
                    | {"p_holm": one.p_holm, "p_bh": one.p_bh}
                )
                for one in self.pairs
            ],
            "notes": list(self.notes),
        }

    def kinds(self) -> str:
        """The kinds of its intervals, in words."""
        means = [mean.how for own in self.means.values() for mean in own.values()]
        return kinds_text([*means, *(pair.result.how for pair in self.pairs)]) or "none"

    def as_text(self) -> str:
        """A table of means, and one of differences."""
        percent = f"{100 * self.sampling.level:g}%"
        means = [
            [metric, name, number(mean.mean), limits(mean), str(mean.n)]
            for metric, own in self.means.items()
            for name, mean in own.items()
        ]
        differences = [
            [
                pair.metric,
                f"{pair.a} - {pair.b}",
                signed(pair.result.difference),
                limits(pair.result, "signed"),
                p_value(pair.result.p),
                p_value(pair.p_holm),
                p_value(pair.p_bh),
                str(pair.result.n),
            ]
            for pair in self.pairs
        ]
        where = [] if self.by is not None else [f"{name}: {path}" for name, path in self.systems.items()]
        blocks = [
            *(["\n".join(where)] if where else []),
            text_table(["metric", "system", "mean", percent, "n"], means),
            text_table(["metric", "systems", "difference", percent, "p", "p (Holm)", "p (BH)", "n both"], differences),
            wrap_paragraph(
                f"Interval: {self.sampling.text(self.kinds())}. p: two-sided, of the test that the "
                "interval of the difference inverts; Holm's and Benjamini and Hochberg's corrections are over all rows "
                "of the table."
            )
            + f"\n{self.sampling.signature}",
        ]
        if self.notes:
            blocks.append("\n".join(wrap_paragraph(note, bullet="! ") for note in self.notes))
        return "\n\n".join(blocks)


def compare_systems(
    folders: Sequence[Path],
    *,
    by: str | None = None,
    metrics: Sequence[str] | None = None,
    pairs: Pairs = "first",
    cluster_by: str | None = "question",
    join_by: JoinRule = "question",
    n_resamples: int = 10_000,
    level: float = 0.95,
    seed: int = 12345,
) -> SystemsComparison:
    """Compare the runs of several folders, or the systems that a field of one run tells apart.

    Folders are joined on id, and every pair of answers must reply to the same question (`fas.report.join`). The
    systems of one run are joined on the question; of several answers of a system to one question the mean is taken.

    *by*: field of `meta` that names the system of an answer. *metrics*: names to compare; all that every system has by
    default. *pairs*: `"first"`: every other system with the first one; `"all"`: every pair. *cluster_by*: see
    `fas.report.compare.compare_runs`; with *by* the question is what is resampled. *join_by*: see
    `fas.report.join.join`.

    Raises:
        InputError: A file cannot be used, or there are not two systems with something in common.
        ValueError: An option is out of range.
    """
    if pairs not in ("first", "all"):
        raise ValueError(f"`pairs` must be 'first' or 'all', got {pairs!r}")
    if by is None:
        table = tabulate_folders(folders, cluster_by, join_by)
    else:
        if len(folders) != 1:
            raise InputError(f"--by {by} compares the systems of one run, got {len(folders)} folders", kind="usage")
        table = tabulate_field(folders[0], by, join_by)
    systems = list(table.values)
    if len(systems) < 2:
        raise InputError(f"{folders[0]}: a comparison needs two systems, found {', '.join(systems)}", kind="usage")
    every = [name for name in table.metrics if not name.endswith(ZERO)]
    names = pick_metrics(metrics, every, " and ".join(map(str, folders)))
    rows = [row for name in names for row in (name, name + ZERO) if row in table.metrics]
    options: dict[str, Any] = {"n_resamples": n_resamples, "level": level, "seed": seed}
    compared = [(systems[0], other) for other in systems[1:]] if pairs == "first" else list(combinations(systems, 2))
    # One array per system over the units of all of them: NaN where a system has none, so that one draw serves all.
    keys = [(metric, a, b) for metric in rows for a, b in compared]
    found = paired_differences(
        {str(i): table.values[a][metric] for i, (metric, a, _) in enumerate(keys)},
        {str(i): table.values[b][metric] for i, (metric, _, b) in enumerate(keys)},
        clusters=table.units,
        **options,
    )
    p = [found[str(i)].p for i in range(len(keys))]
    adjusted = list(zip(holm(p), benjamini_hochberg(p), strict=True))
    means: dict[str, dict[str, MetricSummary]] = {metric: {} for metric in rows}
    for name in systems:
        own = mean_intervals({metric: table.values[name][metric] for metric in rows}, clusters=table.units, **options)
        for metric in rows:
            means[metric][name] = own[metric]
    return SystemsComparison(
        systems=table.paths,
        by=by,
        means=means,
        pairs=tuple(
            SystemPair(metric, a, b, found[str(i)], float(adjusted[i][0]), float(adjusted[i][1]))
            for i, (metric, a, b) in enumerate(keys)
        ),
        sampling=_describe_sampling(table, cluster_by, n_resamples=n_resamples, level=level, seed=seed).with_kinds(
            [
                *(one.how for own in means.values() for one in own.values()),
                *(one.how for one in found.values()),
            ],
            metrics=metrics,
        ),
        notes=(*table.notes, *note_missing(table, [row for row in rows if not row.endswith(ZERO)])),
        table=table,
    )  # fmt: skip


def _describe_sampling(
    table: SystemTable, cluster_by: str | None, *, n_resamples: int, level: float, seed: int
) -> Sampling:
    if table.n_answers is not None:  # means over the answers to a question: the question is what is drawn
        return Sampling(table.n_answers, table.n, "question", n_resamples, level, seed)
    return Sampling.of(table.n, table.units, cluster_by, n_resamples=n_resamples, level=level, seed=seed)

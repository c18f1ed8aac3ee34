"""Figures of a run by few labels and all verdicts, beside those by verdicts alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from fas.core.errors import InputError
from fas.core.files.own import REPORT, SCORES, write_json
from fas.core.records import MetricSummary
from fas.core.records.signature import Signature
from fas.labels.figures import (
    OF_STATEMENTS,
    Figure,
    Labelled,
    bound_open_claims,
    build_side,
    build_whole_side,
    list_figures,
    pick_figures,
    read_labelled,
    select_with_value,
)
from fas.labels.files import read_labels
from fas.labels.judged import JudgedRun, number_names
from fas.report.corrected import NAMES as CORRECTED
from fas.report.join import JoinRule, join, list_units, read_column
from fas.report.sampling import Sampling
from fas.report.tables import AsText, interval, json_ready, kinds_text, number, signed, text_table, wrap_paragraph
from fas.scoring.rescoring import Settings
from fas.stats.bootstrap import BootstrapOptions, Resampling, mean_intervals, ratio_intervals
from fas.stats.paired import paired_difference
from fas.stats.prediction_powered import Adjusted, Side, adjusted_mean, adjusted_shares


@dataclass(frozen=True, slots=True)
class AdjustedFigure:
    """A figure twice, over *n* answers (or claims); NaN for the estimates of the open claims where none is open."""

    raw: MetricSummary
    adjusted: Adjusted
    n: int
    open_low: float = math.nan
    open_high: float = math.nan

    def as_dict(self) -> dict[str, Any]:
        """For programs, with NaN where a value is undefined."""
        raw, one = self.raw, self.adjusted
        adjusted = {"mean": one.value, "low": one.low, "high": one.high, "how": one.how}
        return {
            "raw": {"mean": raw.mean, "low": raw.low, "high": raw.high, "how": raw.how},
            "adjusted": {**adjusted, "standard_error": one.standard_error, "tuning": one.tuning},
            "labels_alone": {"mean": one.alone, "low": one.alone_low, "high": one.alone_high},
            "whatever_is_open": {"low": self.open_low, "high": self.open_high},
            "n": self.n,
            "n_labels": one.n_labels,
            "n_labelled_clusters": one.n_clusters,
        }


@dataclass(frozen=True, slots=True)
class AdjustedRun(AsText):
    """The figures of a run, or of the difference of two.

    Attributes:
        against: The run that is taken from it, or None.
        signature: Of the run, with `labels`; None where the run has none.
        pairs: The figures are shares of pairs of answers, not differences of the runs.
    """

    run: Path
    against: Path | None
    figures: Mapping[str, AdjustedFigure]
    sampling: Sampling
    signature: str | None
    remarks: tuple[str, ...]
    pairs: bool = False

    def as_dict(self) -> dict[str, Any]:
        """For programs; null where a value is undefined."""
        return dict(
            json_ready(
                {
                    "run": self.run,
                    "against": self.against,
                    "figures": {name: figure.as_dict() for name, figure in self.figures.items()},
                    "signature": self.signature,
                    "notes": self.remarks,
                    **self.sampling.as_dict(),
                }
            )
        )

    def as_text(self) -> str:
        """A table for people."""
        form, show = ("number", number) if self.against is None or self.pairs else ("signed", signed)
        rows = [
            [
                name,
                show(one.raw.mean),
                interval(one.raw.low, one.raw.high, form=form, how=one.raw.how),
                show(one.adjusted.value),
                interval(one.adjusted.low, one.adjusted.high, form=form, how=one.adjusted.how),
                interval(one.adjusted.alone_low, one.adjusted.alone_high, form=form),
                "/".join(map(number, one.adjusted.tuning)),
                str(one.adjusted.n_labels),
            ]
            for name, one in self.figures.items()
        ]
        level = f"{100 * self.sampling.level:g}% interval"
        header = ["figure", "raw", level, "adjusted", level, "labels alone", "lambda", "labels"]
        what = "pairs of answers" if self.pairs else "A - B"
        lines = [f"run: {self.run}"] if self.against is None else [f"A: {self.run}", f"B: {self.against}", "", what]
        kinds = kinds_text(one.raw.how for one in self.figures.values())
        said = (
            "raw: what the verdicts say. adjusted: labels and verdicts (PPI++), right on average whatever the "
            "verifier does; lambda: how much the verdicts are used, 0 is not at all. labels alone: the interval "
            f"without any verdict. Raw interval: {self.sampling.text(kinds or 'none')}."
        )
        lines += ["", text_table(header, rows), "", wrap_paragraph(said), *filter(None, [self.signature])]
        lines += ["", *(wrap_paragraph(remark, bullet="! ") for remark in self.remarks)] if self.remarks else []
        return "\n".join(lines)


def adjust_run(
    path: Path,
    labels: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    **options: Unpack[BootstrapOptions],
) -> AdjustedRun:
    """The figures of one run, or those of *metrics*; *options* are of the raw intervals, the level is that of all."""
    labelled, level = read_labelled(path, labels, cluster_by=cluster_by), Resampling(**options).level
    results = labelled.run.results
    figures = list_figures(labelled.run)
    wanted = pick_figures(figures, metrics, results.path)
    # Shares are estimated together, whichever of them are asked for.
    sides = {figure.name: build_whole_side(labelled, figure) for figure in figures}
    adjusted = _adjust_together(figures, {name: side for name, (side, _) in sides.items()}, level)
    found: dict[str, AdjustedFigure] = {}
    for figure in wanted:
        name, one, (side, answers) = figure.name, adjusted[figure.name], sides[figure.name]
        low, high = math.nan, math.nan
        if labelled.open and not math.isnan(one.value):
            low, high = (
                adjusted_mean(bound, share=figure.share, tuning=one.tuning).value
                for bound in bound_open_claims(labelled, figure, side, answers)
            )
        n = len(side.gold) if figure.by_claim else len(answers)
        raw = _summarise_verdicts(labelled.run, figure, options)
        found[name] = AdjustedFigure(raw, one, n, min(low, one.value), max(high, one.value))
    names = list(results.lines)
    sampling = Sampling.of(len(names), list_units(results, names), cluster_by, **options)
    return AdjustedRun(
        run=results.path,
        against=None,
        figures=found,
        sampling=sampling.with_kinds((one.raw.how for one in found.values()), metrics=metrics),
        signature=sign_with_labels(results.signature, labelled),
        remarks=(*labelled.remarks, *_list_remarks(found)),
    )


def adjust_difference(
    path: Path,
    labels: Path,
    against: Path,
    labels_against: Path,
    *,
    metrics: Sequence[str] | None = None,
    cluster_by: str | None = "question",
    join_by: JoinRule = "question",
    **options: Unpack[BootstrapOptions],
) -> AdjustedRun:
    """The first run's figures minus the second's, over the answers of both.

    An InputError where the labels are of another run, or the runs do not belong together.
    """
    a = read_labelled(path, labels, cluster_by=cluster_by)
    b = read_labelled(against, labels_against, cluster_by=cluster_by)
    pairs = join(a.run.results, b.run.results, join_by)
    theirs = {figure.name: figure for figure in list_figures(b.run)}
    shared = [figure for figure in list_figures(a.run) if figure.name in theirs and not figure.by_claim]
    if Settings.of(a.run.results.signature).weights != Settings.of(b.run.results.signature).weights:
        shared = [figure for figure in shared if not figure.name.startswith("fas")]
    found: dict[str, AdjustedFigure] = {}
    for figure in pick_figures(shared, metrics, a.run.results.path):
        known = set(select_with_value(a.run, figure)) & set(select_with_value(b.run, figure))
        ids = [name for name in pairs.ids if name in known]
        if not ids:
            continue
        clusters = list_units(a.run.results, ids)
        units = number_names(clusters if clusters is not None else ids)
        sides = [build_side(one, figure, ids, units, int(units.max()) + 1) for one in (a, b)]
        given: BootstrapOptions = {**options, "clusters": clusters}
        raw = paired_difference(*(read_column(one.run.results, figure.name, ids) for one in (a, b)), **given)
        summary = MetricSummary(raw.difference, raw.low, raw.high, raw.n, raw.how)
        adjusted = adjusted_mean(*sides, level=Resampling(**options).level)
        found[figure.name] = AdjustedFigure(summary, adjusted, len(ids))
    if not found:
        raise InputError(f"{path} and {against}: no figure that both have of one answer", kind="nothing_in_common")
    sampling = Sampling.of(len(pairs.ids), list_units(a.run.results, pairs.ids), cluster_by, **options)
    remarks = [f"{side}: {text}" for side, one in (("A", a), ("B", b)) for text in one.remarks]
    return AdjustedRun(
        run=a.run.results.path,
        against=b.run.results.path,
        figures=found,
        sampling=sampling.with_kinds((one.raw.how for one in found.values()), metrics=metrics),
        signature=None,
        remarks=(*pairs.notes(), *remarks, *_list_remarks(found)),
    )


def sign_with_labels(signature: str | None, labelled: Labelled) -> str | None:
    """The signature of a run with the labels that corrected it."""
    if signature is None:
        return None
    return Signature.parse(signature).with_field("labels", f"{labelled.digest}[n={len(labelled.labels)}]")


def write_adjusted(found: AdjustedRun, folder: Path) -> None:
    """Write `adjusted.json` into a result folder, or `adjusted_statements.json` where the labels are of statements."""
    name = CORRECTED[any(figure in OF_STATEMENTS for figure in found.figures)]
    write_json(folder / name, found.as_dict())


def show_adjusted(folder: Path, labels: Path) -> bool:
    """Write the corrected figures into the folder's report and page too; False where it has none of these."""
    from fas.labels.verifier import measure_precision
    from fas.report.corrected import read_corrected, write_into_report
    from fas.report.html import write_html
    from fas.results.report import read_report

    page = folder / "report.html"
    if not page.is_file() or not (folder / REPORT).is_file():
        return False
    report = read_report(folder)
    write_into_report(folder, read_corrected(folder, report.signature))
    precision = measure_precision(folder, labels) if read_labels(labels).of == "claims" else None
    write_html(page, report, folder / SCORES, precision=precision)
    return True


def _adjust_together(figures: Sequence[Figure], sides: Mapping[str, Side], level: float) -> dict[str, Adjusted]:
    """The estimate of each figure; shares of the same claims that exclude one another together."""
    groups: dict[tuple[bool, str, bool], list[str]] = {}
    for figure in figures:
        groups.setdefault((figure.by_claim, figure.kind, figure.share), []).append(figure.name)
    found: dict[str, Adjusted] = {}
    for (_, _, share), names in groups.items():
        if share and len(names) == 3:
            found |= zip(names, adjusted_shares([sides[name] for name in names], level=level), strict=True)
        else:
            found |= {name: adjusted_mean(sides[name], level=level, share=share) for name in names}
    return found


def _summarise_verdicts(run: JudgedRun, figure: Figure, options: BootstrapOptions) -> MetricSummary:
    """The figure by the verdicts, with the interval that the report gives it: over all units, in the same draws."""
    units = np.array([str(unit) for unit in run.units], dtype=object)
    clusters = units if len(set(units)) < len(units) else None
    given: BootstrapOptions = {**options, "clusters": clusters}
    if not figure.by_claim:
        return mean_intervals({"": run.results.metrics[figure.name]}, **given)[""]
    place = {name: i for i, name in enumerate(run.results.lines)}
    cells = np.zeros((len(place), 2))
    for claim in run.claims:
        cells[place[claim.id]] += (figure.worth[claim.verdict], 1.0)
    found = ratio_intervals([""], cells[:, :1], cells[:, 1], **given)[""]
    return found._replace(n=int(cells[:, 1].sum()))


def _list_remarks(figures: Mapping[str, AdjustedFigure]) -> list[str]:
    """Notes that the numbers need."""
    remarks = []
    unused = [name for name, one in figures.items() if set(one.adjusted.tuning) == {0.0}]
    if unused:
        remarks.append(
            f"{', '.join(unused)}: lambda is 0. The claims were drawn by verdict, so that their strata hold what the "
            "verdicts say already (labels alone, too, are by stratum); or fewer than five labels differ from their "
            "verdict, which says too little of how often it errs; or verdicts would not make the interval narrower"
        )
    open_ = [
        f"{name} {number(one.open_low)} to {number(one.open_high)}"
        for name, one in figures.items()
        if not math.isnan(one.open_low)
    ]
    if open_:
        remarks.append(f"whatever the claims without a label turn out to be: {', '.join(open_)}")
    out = [
        name
        for name, one in figures.items()
        if not math.isnan(one.adjusted.low) and not one.adjusted.low <= one.raw.mean <= one.adjusted.high
    ]
    if out:
        remarks.append(f"the raw value is outside the adjusted interval: {', '.join(out)}")
    return remarks

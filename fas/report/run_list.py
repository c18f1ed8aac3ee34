"""The runs below a folder: one table, and a page with their course over time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import REPORT, SCORES, replace_file
from fas.core.records import MetricSummary
from fas.core.records.signature import Signature
from fas.core.records.stored import metric_field
from fas.report.embed import link_report, read_parts, render
from fas.report.svg import SparkPoint, draw_sparkline
from fas.report.tables import AsText, estimate_text, json_ready, text_table, wrap_paragraph
from fas.results import Run
from fas.results.report import read_report

_GENERATOR = "fas results list"
_SHOWN = ("fas", "fas_evidence", "support", "contra", "unsupported")
# Parts of a signature that are no settings.
_NO_SETTINGS = ("n", "boot", "seed")


@dataclass(frozen=True, slots=True)
class ListedRun:
    """One run of a list.

    Attributes:
        written: When the folder last changed, in UTC: as `run.json` says, or for runs of version 0.2 and before the
            modification time of `scores.jsonl`.
        answers_file: Name of the input file; empty where it was not noted.
        n_failed: Those that ended in an error record.
        metrics: Name to mean with interval, as in `report.json`.
        flags: Flag to the share of answers that carry it.
        settings: The parts of the signature that decide a score.
        fault: Why the run has no numbers; empty where it has.
    """

    folder: Path
    written: datetime
    answers_file: str = ""
    n: int = 0
    n_failed: int = 0
    metrics: Mapping[str, MetricSummary] = field(default_factory=dict)
    flags: Mapping[str, float] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    fault: str = ""

    @property
    def day(self) -> str:
        """Date and time of the last change."""
        return self.written.strftime("%Y-%m-%d %H:%M")

    def metric(self, name: str) -> MetricSummary | None:
        """The metric *name*, for any k."""
        return next((one for key, one in self.metrics.items() if metric_field(key) == name), None)


@dataclass(frozen=True, slots=True)
class RunList(AsText):
    """The runs below a folder, the oldest first."""

    folder: Path
    runs: tuple[ListedRun, ...]

    def name(self, run: ListedRun) -> str:
        """The path of *run* from the folder on, with `/`; the folder's own name for a run that lies in it."""
        name = run.folder.relative_to(self.folder).as_posix()
        return self.folder.resolve().name if name == "." else name

    def metrics(self) -> list[str]:
        """Those of the headline metrics that some run has, without their k."""
        return [name for name in _SHOWN if any(self._scored(run, name) for run in self.runs)]

    @staticmethod
    def _scored(run: ListedRun, name: str) -> bool:
        found = run.metric(name)
        return found is not None and not math.isnan(found.mean)

    def varying(self) -> dict[str, dict[str, list[str]]]:
        """The parts of the signatures in which the runs differ: key to value to the names of the runs."""
        read = [run for run in self.runs if not run.fault]
        found: dict[str, dict[str, list[str]]] = {}
        for key in dict.fromkeys(key for run in read for key in run.settings):
            for run in read:
                found.setdefault(key, {}).setdefault(run.settings.get(key, "-"), []).append(self.name(run))
        return {key: values for key, values in found.items() if len(values) > 1}

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; NaN becomes None."""
        found = [
            {
                "run": self.name(run),
                "folder": str(run.folder),
                "written": run.written.isoformat(timespec="seconds"),
                "answers_file": run.answers_file or None,
                "n": run.n,
                "n_failed": run.n_failed,
                "metrics": {
                    name: {"mean": one.mean, "low": one.low, "high": one.high, "n": one.n}
                    for name, one in run.metrics.items()
                },
                "flags": dict(run.flags),
                "settings": dict(run.settings),
                "fault": run.fault or None,
            }
            for run in self.runs
        ]
        return {"folder": str(self.folder), "runs": json_ready(found)}

    def as_text(self) -> str:
        """A table, then the settings in which the runs differ, and the runs that could not be read."""
        names, read = self.metrics(), [run for run in self.runs if not run.fault]
        rows = [
            [
                self.name(run),
                run.day,
                run.answers_file or "-",
                str(run.n),
                *(_format_metric(run, name) for name in names),
            ]
            for run in read
        ]
        blocks = [text_table(["run", "written (UTC)", "answers file", "answers", *names], rows)] if rows else []
        for key, values in self.varying().items():
            blocks.append("\n".join([f"{key}:", *(f"  {value}: {', '.join(own)}" for value, own in values.items())]))
        faults = [f"{self.name(run)}: {run.fault}" for run in self.runs if run.fault]
        if faults:
            blocks.append("\n".join(wrap_paragraph(fault, bullet="! ") for fault in faults))
        return "\n\n".join(blocks)


def list_runs(folder: Path) -> RunList:
    """The runs in *folder* and below it, by the date of their last change; only their reports are read.

    A run without a report that can be read is in the list, and says why.

    Raises:
        InputError: There is no such folder, or no run in it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder", kind="missing_file")
    runs = [_read(path.parent) for path in sorted(folder.rglob(SCORES))]
    if not runs:
        raise InputError(
            f"{folder}: no run in this folder or below it; `fas score FILE -o {folder}/NAME` makes one",
            kind="missing_file",
        )
    return RunList(folder, tuple(sorted(runs, key=lambda run: (run.written, str(run.folder)))))


def _read(folder: Path) -> ListedRun:
    run = Run(folder / SCORES)
    try:
        if not (folder / REPORT).is_file():
            fault = "not finished: no report.json; the same `fas score` command resumes"
            return ListedRun(folder, run.written, fault=fault)
        report = read_report(folder)
        return ListedRun(
            folder=folder,
            written=run.written,
            answers_file=run.answers_file or "",
            n=report.n,
            n_failed=report.n_failed,
            metrics=report.metrics,
            flags={name: one.rate for name, one in report.flags.items()},
            settings={
                key: value for key, value in Signature.of(report.signature).fields.items() if key not in _NO_SETTINGS
            },
        )
    except ValueError as error:  # InputError is one
        return ListedRun(folder, datetime.fromtimestamp(run.path.stat().st_mtime, UTC), fault=str(error))


def _format_metric(run: ListedRun, name: str) -> str:
    found = run.metric(name)
    return "-" if found is None else estimate_text(*found[:3])


def write_index(runs: RunList, out: Path | None = None) -> Path:
    """Write the page of a list; its path.

    *out*: the page; by default `index.html` in the folder of the runs.

    Raises:
        InputError: The default page is somebody else's.
        OSError: It cannot be written.
    """
    from markupsafe import Markup

    page = out or runs.folder / "index.html"
    if out is None and page.exists() and _GENERATOR not in page.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise InputError(
            f"{page}: was not written by `{_GENERATOR}` and stays; name another page with -o", kind="exists"
        )
    names = runs.metrics()
    text = render(
        "run_list.html",
        generator=_GENERATOR,
        title=runs.folder.resolve().name,
        css=Markup(read_parts("page.css", "review.css", "run_list.css")),
        metrics=names,
        runs=runs,
        links={run.folder: link_report(run.folder / SCORES, page) for run in runs.runs},
        courses=list(_draw_courses(runs, names, page)),
    )
    with replace_file(page, errors="replace") as file:
        file.write(text)
    return page


def _draw_courses(runs: RunList, names: Sequence[str], page: Path) -> Iterator[dict[str, Any]]:
    """For each input file with two runs or more: a sparkline of each metric.

    Runs of files of other names answer other questions, so that no line joins them.
    """
    from markupsafe import Markup

    by_file: dict[str, list[ListedRun]] = {}
    for run in runs.runs:
        if not run.fault:
            by_file.setdefault(run.answers_file, []).append(run)
    for file, own in by_file.items():
        lines = []
        for name in names:
            points = [
                SparkPoint(f"{runs.name(run)}, {run.day}", *found[:3], link_report(run.folder / SCORES, page))
                for run in own
                if (found := run.metric(name)) is not None
            ]
            if svg := draw_sparkline(points, title=name):
                kept = [point.value for point in points if not math.isnan(point.value)]
                lines.append({"name": name, "svg": Markup(svg), "first": kept[0], "last": kept[-1]})
        if lines:
            yield {"file": file or "input not noted", "n": len(own), "lines": lines}

"""A stored run in a notebook: compared with others, with gold and with labels, and shown as its report."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fas import results
from fas.core.arguments import list_keywords, refuse_unknown, suggest_arguments
from fas.core.files.own import REPORT
from fas.report.compare import RunComparison, compare_runs
from fas.report.systems import SystemsComparison, compare_systems
from fas.results.report import read_report

if TYPE_CHECKING:
    from fas.bench.alignment import AlignedFolders
    from fas.bench.formats import ResultTable
    from fas.labels.adjust import AdjustedRun
    from fas.report.correlate import GoldCorrelation
    from fas.report.factuality import FactualityReport

T = TypeVar("T")
_DRAWN = ("n_resamples", "level", "seed")
"""Options that functions pass on to the drawing of intervals."""


class Run(results.Run):
    """The results of one run, read on demand; `fas.open_run(folder)` opens one.

    Each method takes the options of the function behind it, and runs or their folders.
    """

    def compare(self, *others: results.Run | str | Path, **options: Any) -> RunComparison | SystemsComparison:
        """This run, the baseline, beside *others*, answer by answer: means, paired differences, intervals and tests.

        Raises:
            InputError: The runs share no answer or metric, or reply to other questions.
            ValueError: There is no other run, or an option is out of range.
        """
        if not others:
            raise ValueError("name at least one other run to compare with")
        paths = [self.path, *map(_path, others)]
        if len(paths) == 2:
            return _call("compare", compare_runs, *paths, **options)
        return _call("compare", compare_systems, paths, **options)

    def correlate(self, gold: str | Path, **options: Any) -> GoldCorrelation:
        """Every metric against the file *gold*, as `fas.report.correlate.correlate_scores`."""
        from fas.report.correlate import correlate_scores

        return _call("correlate", correlate_scores, self.path, Path(gold), **options)

    def adjust(self, labels: str | Path, **options: Any) -> AdjustedRun:
        """The figures corrected by *labels* of claims, as `fas.labels.adjust.adjust_run`; nothing is written."""
        from fas.labels.adjust import adjust_run

        return _call("adjust", adjust_run, self.path, Path(labels), **options)

    def align(
        self, *others: results.Run | str | Path, gold: str | Path | None = None, **options: Any
    ) -> AlignedFolders:
        """The check against right and wrong answers, as `fas.bench.alignment.align_folders`; of two the difference."""
        from fas.bench.alignment import align_folders

        options |= {} if gold is None else {"gold": Path(gold)}
        return _call("align", align_folders, [self.path, *map(_path, others)], **options)

    def factuality(self, *others: results.Run | str | Path, **options: Any) -> FactualityReport:
        """Factuality, F1@K and claim counts, as `fas.report.factuality.factuality_report`; of two the changes too."""
        from fas.report.factuality import factuality_report

        return _call("factuality", factuality_report, [self.path, *map(_path, others)], **options)

    @suggest_arguments
    def tables(
        self, *others: results.Run | str | Path, n_resamples: int = 10_000, seed: int = 12345
    ) -> list[ResultTable]:
        """The tables that `fas results tables` writes of this run, or of this one and *others* as systems."""
        from fas.bench.result_tables import build_tables

        folders = [path.parent if path.is_file() else path for path in (self.path, *map(_path, others))]
        return build_tables(folders, n_resamples=n_resamples, seed=seed)[1]

    def _repr_html_(self) -> str:
        folder = self.path.parent
        if not (folder / REPORT).is_file():
            return f"<p>{escape(str(self.path))}: the run has no report yet.</p>"
        return read_report(folder)._repr_html_()


def _call(method: str, function: Callable[..., T], *given: Any, **options: Any) -> T:
    """Call *function*; an unknown option is refused in the name of the method of `Run`."""
    names, passes_on = list_keywords(function)
    refuse_unknown(f"Run.{method}", [*names[len(given) :], *(_DRAWN if passes_on else ())], options)
    return function(*given, **options)


def _path(run: results.Run | str | Path) -> Path:
    return run.path if isinstance(run, results.Run) else Path(run)


@suggest_arguments
def open_run(folder: str | Path) -> Run:
    """The run in *folder*, or whose `scores.jsonl` that is.

    Raises:
        InputError: There is none.
    """
    return Run.open(folder)

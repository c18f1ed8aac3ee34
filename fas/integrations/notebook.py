"""A stored run in a notebook: compared with others, with gold and with labels, and shown as its report."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas import results
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


class Run(results.Run):
    """The results of one run; `fas.open_run(folder)` opens one, and nothing is read before it is asked for.

    Each method takes the options of the function behind it, and other runs also as their folders.
    """

    def compare(self, *others: results.Run | str | Path, **options: Any) -> RunComparison | SystemsComparison:
        """This run, the baseline, beside *others*, answer by answer: means, paired differences, intervals and tests.

        As `fas.report.compare.compare_runs`, with several others as `fas.report.systems.compare_systems`.

        Raises:
            InputError: The runs share no answer or metric, or reply to other questions.
            ValueError: There is no other run, or an option is out of range.
        """
        if not others:
            raise ValueError("name at least one other run to compare with")
        paths = [self.path, *map(_path, others)]
        return compare_runs(*paths, **options) if len(paths) == 2 else compare_systems(paths, **options)

    def correlate(self, gold: str | Path, **options: Any) -> GoldCorrelation:
        """Every metric against the file *gold*, as `fas.report.correlate.correlate_scores`."""
        from fas.report.correlate import correlate_scores

        return correlate_scores(self.path, Path(gold), **options)

    def adjust(self, labels: str | Path, **options: Any) -> AdjustedRun:
        """The figures corrected by *labels* of claims, as `fas.labels.adjust.adjust_run`; nothing is written."""
        from fas.labels.adjust import adjust_run

        return adjust_run(self.path, Path(labels), **options)

    def align(self, *others: results.Run | str | Path, **options: Any) -> AlignedFolders:
        """The check against right and wrong answers, as `fas.bench.alignment.align_folders`; of two the difference."""
        from fas.bench.alignment import align_folders

        return align_folders([self.path, *map(_path, others)], **options)

    def factuality(self, *others: results.Run | str | Path, **options: Any) -> FactualityReport:
        """Factuality, F1@K and claim counts, as `fas.report.factuality.factuality_report`; of two the changes too."""
        from fas.report.factuality import factuality_report

        return factuality_report([self.path, *map(_path, others)], **options)

    def tables(
        self, *others: results.Run | str | Path, n_resamples: int = 10_000, seed: int = 12345
    ) -> list[ResultTable]:
        """The tables that `fas results tables` writes of this run, or of this one and *others* as systems."""
        from fas.bench.own_tables import build_tables

        folders = [path.parent if path.is_file() else path for path in (self.path, *map(_path, others))]
        return build_tables(folders, n_resamples=n_resamples, seed=seed)[1]

    def _repr_html_(self) -> str:
        folder = self.path.parent
        if not (folder / REPORT).is_file():
            return f"<p>{escape(str(self.path))}: the run has no report yet.</p>"
        return read_report(folder)._repr_html_()


def _path(run: results.Run | str | Path) -> Path:
    return run.path if isinstance(run, results.Run) else Path(run)


open_run = Run.open

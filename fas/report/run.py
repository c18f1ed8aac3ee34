"""A stored run in a notebook: compared with others, and shown as its report."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

from fas import results
from fas.core.files.own import REPORT
from fas.report.compare import RunComparison, compare_runs
from fas.report.systems import SystemsComparison, compare_systems
from fas.results.report import read_report


class Run(results.Run):
    """The results of one run; `fas.open_run(folder)` opens one, and nothing is read before it is asked for."""

    def compare(self, *others: results.Run | str | Path, **options: Any) -> RunComparison | SystemsComparison:
        """This run beside *others*, answer by answer: means, paired differences, intervals and tests.

        Args:
            others: Runs, or their folders; this run is the baseline.
            options: Those of `fas.report.compare.compare_runs`, for several others of
                `fas.report.systems.compare_systems`.

        Raises:
            InputError: The runs share no answer or metric, or reply to other questions.
            ValueError: There is no other run, or an option is out of range.
        """
        paths = [one.path if isinstance(one, results.Run) else Path(one) for one in others]
        if not paths:
            raise ValueError("name at least one other run to compare with")
        if len(paths) == 1:
            return compare_runs(self.path, paths[0], **options)
        return compare_systems([self.path, *paths], **options)

    def _repr_html_(self) -> str:
        folder = self.path.parent
        if not (folder / REPORT).is_file():
            return f"<p>{escape(str(self.path))}: the run has no report yet.</p>"
        return read_report(folder)._repr_html_()


open_run = Run.open

"""Pages of a stored run that need labels: its report with its error rates, and what its verifier got wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fas.core.errors import InputError
from fas.core.files.own import REPORT, SCORES, check_no_input
from fas.labels.page import collect_items, write_page
from fas.labels.verifier import disagreements, precision_for_page
from fas.report.decisions import Reviewed, read_decisions
from fas.report.html import write_html
from fas.results.report import read_report


def write_page_again(folder: Path, out: Path, *, labels: Path | None, decisions: Sequence[Path]) -> Reviewed:
    """Write the page of a stored run to *out*; what the reviewers decided.

    The error rates that *labels* give stand in the page's first lines; *decisions* are files that the page has saved.

    Raises:
        InputError: A file is missing, cannot be used, or is one that would be written.
    """
    report = read_report(folder)
    scores = folder / SCORES
    if not scores.is_file():
        raise InputError(f"{scores}: no such file; expected a folder of `fas score`", kind="missing_file")
    check_no_input([scores, folder / REPORT, *filter(None, [labels]), *decisions], [out])
    precision = None if labels is None else precision_for_page(folder, labels)
    reviewed = read_decisions(scores, decisions)
    write_html(out, report, scores, precision=precision, decisions=reviewed.lines)
    return reviewed


def write_disagreements(folder: Path, labels: Path, out: Path) -> None:
    """Write a page of the claims on which people and the verifier of a run disagree."""
    labelled, drawn, said = disagreements(folder, labels)
    items = collect_items(labelled.run, drawn, said)
    write_page(out, items, title="Where people and the verifier disagree", of=labelled.run.of)

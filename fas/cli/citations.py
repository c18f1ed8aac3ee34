"""`fas citations`: whether the sources that an answer cites exist, and support what they are cited for."""

from __future__ import annotations

from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import command
from fas.cli.progress import ProgressBar


@command(
    "fas citations answers.jsonl --evidence entrez -o out/",
    shared.answers,
    shared.out("write citations.jsonl and citations.json there, too"),
    shared.offline,
    shared.as_json(),
    shared.progress,
    shared.profile,
)
def citations(o: SimpleNamespace) -> None:
    """Check the citations that answers make.

    Of each citation ([1], PMID, DOI, address): does the source exist, is it retracted, does it support the claim, does
    another passage. [n] is the n-th given passage, or the n-th entry of the answer's own list of references; PMIDs and
    DOIs are looked up in an index or in PubMed.
    """
    from fas.core.answers.files import read_answers, scan_tolerantly
    from fas.core.records import Answer
    from fas.detectors.citations.report import RECORDS, check_citations, citations_in_words, write_citations

    with ProgressBar.of(o, f"reading {o.answers}") as bar:
        source = shared.open_answers(o)
        bar.start(scan_tolerantly(source, "stop"), 0)
        answers = [one for one in read_answers(source) if isinstance(one, Answer)]
        report = check_citations(answers, o.profile, offline=o.offline, progress=bar.update)
    if o.out is not None:
        write_citations(report, o.out)
    shared.print_result(report, o)
    if not o.json:
        where = f"citations: {o.out / RECORDS}" if o.out else "next: -o DIR writes each citation with its verdicts"
        print(f"\n{citations_in_words(report)}\n{where}")

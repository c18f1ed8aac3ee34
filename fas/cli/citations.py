"""`fas citations`: whether the sources that an answer cites exist, and support what they are cited for."""

from __future__ import annotations

from types import SimpleNamespace

from fas.cli import options as shared
from fas.cli.base import command


@command(
    "fas citations answers.jsonl --evidence entrez -o out/",
    shared.answers,
    shared.out("write citations.jsonl and citations.json there, too"),
    shared.offline,
    shared.as_json(),
    shared.profile,
)
def citations(o: SimpleNamespace) -> None:
    """Check the citations that answers make.

    Of each citation ([1], PMID, DOI, address): does the source exist, is it retracted, does it support the claim, does
    another passage. [n] is the n-th given passage, or the n-th entry of the answer's own list of references; PMIDs and
    DOIs are looked up in an index or in PubMed.
    """
    from fas.core.answers.files import read_whole
    from fas.detectors.citations.report import check_citations, write_citations

    found = read_whole(shared.open_answers(o))
    shared.print_reasoning(sum(answer.reasoning > 0 for answer in found))
    report = check_citations(found, o.profile, offline=o.offline)
    if o.out is not None:
        write_citations(report, o.out)
    shared.print_result(report, o)

"""AskDocsAI: doctors' answers from Reddit's r/AskDocs, rewritten at length by a language model.

From MedScore, https://github.com/Heyuan9/MedScore. The rewriting is the answer to be judged, the doctor's own
words are the evidence and the reference.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, find, read_lines
from fas.core.records import Passage

_SOURCE = DataSource(
    "AskDocsAI",
    "https://github.com/Heyuan9/MedScore (data/)",
    ("askdocs", "medscore", "data", "medscore/data", "MedScore/data"),
)


class AskDocs(Benchmark):
    """The benchmark; it has no human judgement of the answers."""

    name = "askdocs"
    title = "AskDocsAI: 300 questions from r/AskDocs, doctors' answers and a model's rewriting of each"
    template = "summary"
    subset_rule = "All 300 questions. The study does not use AskDocsAI."

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question; the doctor's answer is both its reference and its only passage."""
        for fields in read_lines(find(folder, _SOURCE, "AskDocs.jsonl")):
            doctor = fields.text("doctor_response")
            identifier = fields.text("id")
            yield Item(
                id=identifier,
                question=fields.text("question"),
                references=(doctor,),
                passages=(Passage(doctor, id=identifier, title="doctor's answer"),),
                meta={"subset": "askdocs"},
            )

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The rewritten answers, as the model `rewritten`."""
        for fields in read_lines(find(folder, _SOURCE, "AskDocs.jsonl")):
            yield Candidate(fields.text("id"), "rewritten", 0, fields.string("response"))

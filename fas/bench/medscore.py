"""The sets of MedScore, https://github.com/Heyuan9/MedScore: AskDocsAI, and CaLMQA's English part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find, read_lines
from fas.core.records import Passage

_URL = "https://github.com/Heyuan9/MedScore (data/)"
_FOLDERS = ("medscore", "data", "medscore/data", "MedScore/data")
_ASKDOCS = DataSource("AskDocsAI", _URL, ("askdocs", *_FOLDERS))
_CALMQA = DataSource("CaLMQA", _URL, ("calmqa", *_FOLDERS))


class AskDocs(Benchmark):
    """Doctors' answers from Reddit's r/AskDocs, rewritten at length by a language model; no human judged the answers.

    The rewriting is the answer to be judged, the doctor's own words are the evidence and the reference.
    """

    name = "askdocs"
    title = "AskDocsAI: 300 questions from r/AskDocs, doctors' answers and a model's rewriting of each"
    template = "summary"
    subset_rule = "All 300 questions. The study does not use AskDocsAI."

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question; the doctor's answer is both its reference and its only passage."""
        for fields in read_lines(find(folder, _ASKDOCS, "AskDocs.jsonl")):
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
        for fields in read_lines(find(folder, _ASKDOCS, "AskDocs.jsonl")):
            yield Candidate(fields.text("id"), "rewritten", 0, fields.string("response"))


class CaLMQA(Benchmark):
    """Questions from Reddit's r/explainlikeimfive with people's answers, none of them medical.

    It has no references, no passages and no judgement of the answers. Arora et al. (2025); MedScore used its first
    version.
    """

    name = "calmqa"
    title = "CaLMQA, English: 96 questions about the world with people's answers"
    template = "summary"
    subset_rule = "All 96 questions. The study does not use CaLMQA."

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question, by its owners' id."""
        for fields in read_lines(find(folder, _CALMQA, "calmqa_english.jsonl")):
            yield Item(_read_id(fields), fields.text("question"), (), meta={"subset": "english"})

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The answers, by who wrote them (`human`)."""
        for fields in read_lines(find(folder, _CALMQA, "calmqa_english.jsonl")):
            yield Candidate(_read_id(fields), fields.text("model"), 0, fields.string("response"))


def _read_id(fields: Fields) -> str:
    return str(fields.whole("id"))  # numbers in the owners' file

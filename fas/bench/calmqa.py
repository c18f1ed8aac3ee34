"""CaLMQA's English part: questions from Reddit's r/explainlikeimfive with people's answers, none of them medical.

Arora et al. (2025), as MedScore (https://github.com/Heyuan9/MedScore) used its first version, for claims of texts
outside medicine.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find, read_lines

_SOURCE = DataSource(
    "CaLMQA",
    "https://github.com/Heyuan9/MedScore (data/)",
    ("calmqa", "medscore", "data", "medscore/data", "MedScore/data"),
)
_FILE = "calmqa_english.jsonl"


class CaLMQA(Benchmark):
    """The benchmark; it has no references, no passages and no judgement of the answers."""

    name = "calmqa"
    title = "CaLMQA, English: 96 questions about the world with people's answers"
    template = "summary"
    subset_rule = "All 96 questions. The study does not use CaLMQA."

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question, by its owners' id."""
        for fields in read_lines(find(folder, _SOURCE, _FILE)):
            yield Item(_id(fields), fields.text("question"), (), meta={"subset": "english"})

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The answers, by who wrote them (`human`)."""
        for fields in read_lines(find(folder, _SOURCE, _FILE)):
            yield Candidate(_id(fields), fields.text("model"), 0, fields.string("response"))


def _id(fields: Fields) -> str:
    return str(fields.whole("id"))  # numbers in the owners' file

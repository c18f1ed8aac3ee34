"""MIRAGE's five sets of multiple-choice questions, from its `benchmark.json`; the answers are made now.

Xiong et al. (2024), https://github.com/Teddy-XiongGZ/MIRAGE: MedQA (1,273 questions with four options), six subjects of
MMLU (1,089), MedMCQA (4,183), PubMedQA without its abstracts (500; yes, no, maybe) and BioASQ's yes/no questions (618).
All are test questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, find, read_json
from fas.core.errors import InputError
from fas.text.choices.options import append_options, read_options
from fas.text.choices.reading import read_choice

_URL = "https://github.com/Teddy-XiongGZ/MIRAGE"
_SOURCE = DataSource("MIRAGE", f"{_URL} (benchmark.json)", ("choices", "mirage", "mirage_bioasq_pubmedqa", "MIRAGE"))
SETS = ("medqa", "mmlu", "medmcqa", "pubmedqa", "bioasq")


class Choices(Benchmark):
    """The benchmark; a candidate's gold is 1 where it chooses the right option, 0 where another or none can be read."""

    name = "choices"
    title = "MIRAGE's 7,663 multiple-choice questions: MedQA, MMLU, MedMCQA, PubMedQA, BioASQ"
    subset_rule = "All questions of all five sets; --subset names some (medqa, mmlu, medmcqa, pubmedqa, bioasq)."

    def items(self, folder: Path) -> Iterator[Item]:
        """The questions as `SET/ID`, with their options in the text; `meta` has `stem`, `options` and `answer`."""
        path = find(folder, _SOURCE, "benchmark.json")
        found = read_json(path)
        if not isinstance(found, Mapping) or not set(SETS) & set(found):
            raise InputError(f"{path}: expected an object with the sets {', '.join(SETS)}", kind="wrong_type")
        for subset in SETS:
            records = found.get(subset, {})
            if not isinstance(records, Mapping):
                raise InputError(f"{path}, {subset}: expected an object from id to question", kind="wrong_type")
            for identifier, record in records.items():
                yield _item(subset, str(identifier), record, f"{path}, {subset}/{identifier}")

    def grade(self, item: Item, candidate: Candidate) -> Candidate:
        """*candidate* with its gold and the option that was read; an answer that cannot be read is wrong."""
        choice = read_choice(candidate.text, item.meta["options"])
        right = float(choice.letter == item.meta["answer"])
        meta = {**candidate.meta, "choice": choice.letter, "unread": choice.reason}
        return Candidate(candidate.item, candidate.model, candidate.sample, candidate.text, right, meta)


def _item(subset: str, identifier: str, record: Any, where: str) -> Item:
    if not isinstance(record, Mapping) or not isinstance(record.get("question"), str):
        raise InputError(f"{where}: expected an object with a question", kind="wrong_type")
    options = read_options(record.get("options"), where)
    answer = record.get("answer")
    if answer not in options:
        raise InputError(f"{where}: the answer {answer!r} is none of {', '.join(options)}", kind="answer")
    stem = record["question"].strip()
    meta = {"subset": subset, "stem": stem, "options": options, "answer": answer}
    return Item(f"{subset}/{identifier}", append_options(stem, options), (), None, "choice", meta)

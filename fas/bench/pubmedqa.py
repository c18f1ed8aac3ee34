"""PubMedQA: yes/no/maybe questions answered from the abstract they were made of.

Jin et al. (2019), https://github.com/pubmedqa/pubmedqa. The abstract comes without its conclusion, which
is the reference answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Item
from fas.bench.files import DataSource, Fields, find, read_json
from fas.core.errors import InputError
from fas.core.records import Passage

_SOURCE = DataSource(
    "PubMedQA", "https://github.com/pubmedqa/pubmedqa (data/)", ("pubmedqa", "data", "pubmedqa/data", "PubMedQA/data")
)
_DECISIONS = ("yes", "no", "maybe")


class PubMedQA(Benchmark):
    """The labelled part (PQA-L); an item's `subset` is `test` for the 500 official test questions, else `train`."""

    name = "pubmedqa"
    title = "PubMedQA (PQA-L): 1,000 research questions with abstract, conclusion and decision; 500 are the test set"
    subsets = ("test",)
    subset_rule = (
        "The 500 questions of the official test ids (276 yes, 169 no, 55 maybe). The study speaks of 500 'evenly "
        "split across yes/no/maybe', which PubMedQA cannot give: only 110 of its 1,000 labelled questions are maybe."
    )

    def items(self, folder: Path) -> Iterator[Item]:
        """Every labelled question, in the file's order; the id is the PMID."""
        path = find(folder, _SOURCE, "ori_pqal.json")
        truth = Fields(read_json(ids := find(folder, _SOURCE, "test_ground_truth.json")), str(ids))
        records = Fields(read_json(path), str(path)).record
        missing = [pmid for pmid in truth.record if pmid not in records]
        if missing:
            raise InputError(f"{ids}: {missing[0]!r} is not among the questions of {path}", kind="missing_item")
        for pmid, record in records.items():
            subset = "test" if pmid in truth.record else "train"
            item = read_pubmedqa_item(pmid, record, f"{path}, {pmid}", subset=subset)
            if subset == "test" and truth.choice(pmid, _DECISIONS) != item.meta["decision"]:
                raise InputError(f"{ids}: the decision of {pmid} differs from that in {path}", kind="other_decision")
            yield item


def read_pubmedqa_item(pmid: str, record: object, where: str, *, subset: str) -> Item:
    """One question of a file in PubMedQA's shape; an InputError where a key is missing or has another value."""
    fields = Fields(record, where)
    contexts = fields.strings("CONTEXTS")
    abstract = "\n".join(contexts)
    year = fields.record.get("YEAR")
    return Item(
        id=pmid,
        question=fields.text("QUESTION"),
        references=(fields.text("LONG_ANSWER"),),
        passages=(Passage(abstract, id=pmid, year=int(year) if isinstance(year, str) and year.isdecimal() else None),),
        meta={"subset": subset, "decision": fields.choice("final_decision", _DECISIONS), "abstract": abstract},
    )

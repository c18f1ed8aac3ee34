"""FActScore's biographies with people's labels: what three models say of 183 persons, taken apart and judged by people.

Min et al. (2023). A label is S (supported by the person's Wikipedia page), NS or IR (irrelevant); gold is the share
of S among S and NS over all facts that people wrote down. Answers without labels, most of them refusals, have none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find, read_lines

_SOURCE = DataSource(
    "FActScore",
    "https://github.com/google-deepmind/long-form-factuality (third_party/factscore/labeled_data/)",
    ("factscore", "factscore_labeled", "third_party/factscore/labeled_data", "labeled_data"),
)
_MODELS = ("InstructGPT", "ChatGPT", "PerplexityAI")


class FActScore(Benchmark):
    """The benchmark; it brings neither references nor passages."""

    name = "factscore"
    title = "FActScore: biographies of 183 persons by three models, with people's labels of each fact"
    template = "summary"
    subset_rule = "All 183 persons. The study does not use FActScore; DnDScore does."

    def items(self, folder: Path) -> Iterator[Item]:
        """A question for each person, whose name is the id and the field `topic`."""
        for fields in read_lines(find(folder, _SOURCE, f"{_MODELS[0]}.jsonl")):
            topic = fields.text("topic")
            question = fields.text("input").removeprefix("Question: ")
            yield Item(topic, question, (), meta={"subset": "labelled", "topic": topic})

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """Each model's biographies, with gold where people labelled a fact of it as S or NS."""
        for model in _MODELS:
            for fields in read_lines(find(folder, _SOURCE, f"{model}.jsonl")):
                labels = [
                    fact.choice("label", ("S", "NS", "IR"))
                    for part in _list_objects(fields, "annotations")
                    for fact in _list_objects(part, "human-atomic-facts")
                ]
                supported, judged = labels.count("S"), labels.count("S") + labels.count("NS")
                gold = supported / judged if judged else None
                meta = {"judged_by": "people", "n_facts": len(labels)} if labels else {}
                yield Candidate(fields.text("topic"), model, 0, fields.string("output"), gold, meta)


def _list_objects(fields: Fields, key: str) -> list[Fields]:
    return fields.objects(key) if key in fields else []

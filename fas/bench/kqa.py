"""K-QA: patients' questions, and physicians' judgements of real answers of models.

Manes et al. (2024), https://github.com/Itaymanes/K-QA. Three physicians judged of 50 answers whether they
entail or contradict each statement of the gold answer; the label is the majority's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, find, read_csv, read_lines
from fas.bench.gold import StatementCounts, factuality

_SOURCE = DataSource(
    "K-QA", "https://github.com/Itaymanes/K-QA (dataset/)", ("kqa", "dataset", "kqa/dataset", "K-QA/dataset")
)
_LABELS = {"Entailment": "supported", "Neutral": "unsupported", "Contradiction": "contradicted"}


class KQA(Benchmark):
    """The benchmark; its stored answers are the 50 that physicians judged.

    A candidate's `gold` is the study's factuality by the physicians' labels
    (`fas.bench.gold.factuality`); `meta` holds `comprehensiveness` and `hallucination` as K-QA defines
    them, and the counts they come from.
    """

    name = "kqa"
    title = "K-QA: 201 patients' questions with physicians' answers; 50 answers of models judged by physicians"
    template = "summary"
    subset_rule = (
        "All 201 questions. The study does not use K-QA by itself; the questions are those of MedLFQA's kqa_golden."
    )

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question, numbered from 0; those that only the judged answers have come last, as `judged/N`."""
        known: set[str] = set()
        for number, fields in enumerate(read_lines(find(folder, _SOURCE, "questions_w_answers.jsonl"))):
            question = fields.text("Question")
            known.add(_even_out(question))
            statements = (fields.strings("Must_have"), fields.strings("Nice_to_have"))
            yield _item(str(number), question, (fields.text("Free_form_answer"),), "answered", *statements)
        judged = {one.question: one for one in read_judged_answers(folder) if _even_out(one.question) not in known}
        for number, one in enumerate(judged.values()):
            yield _item(f"judged/{number}", one.question, (), "judged", one.must_have, one.nice_to_have)

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The answers that physicians judged, with their judgement."""
        ids = {_even_out(item.question): item.id for item in self.items(folder)}
        for one in read_judged_answers(folder):
            counts = one.counts()
            meta = {"judged_by": "physicians", **counts.as_meta()}
            yield Candidate(ids[_even_out(one.question)], one.model, 0, one.answer, factuality(counts), meta)


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    """One answer with the physicians' labels: Entailment, Neutral or Contradiction for each statement.

    The statements that the answer must contain, and those that it may.
    """

    question: str
    model: str
    answer: str
    must_have: dict[str, str] = field(default_factory=dict)
    nice_to_have: dict[str, str] = field(default_factory=dict)

    def labels(self) -> list[str]:
        """The labels of the must-have statements, then those of the others."""
        return [*self.must_have.values(), *self.nice_to_have.values()]

    def counts(self) -> StatementCounts:
        """The labels, counted."""
        own = (self.must_have, self.nice_to_have)
        return StatementCounts.of(*([_LABELS[label] for label in part.values()] for part in own))


def read_judged_answers(folder: Path) -> list[JudgedAnswer]:
    """The answers that physicians judged, statement by statement; errors as of `KQA.items`."""
    answers: dict[tuple[str, str], JudgedAnswer] = {}
    for fields in read_csv(find(folder, _SOURCE, "NLI_medical_annotator.csv")):
        question, model, answer = fields.text("Question"), fields.text("llm_x"), fields.string("answer")
        one = answers.setdefault((question, model), JudgedAnswer(question, model, answer))
        if one.answer != answer:
            fields.fail("answer", f"differs from the answer of {model} to this question in an earlier row")
        category = fields.choice("category_x", ("Must_have", "Nice_to_have"))
        statements = one.must_have if category == "Must_have" else one.nice_to_have
        if fields.text("claim") in statements:
            fields.fail("claim", "has a label in an earlier row")
        statements[fields.text("claim")] = fields.choice("majority_label", tuple(_LABELS))
    return list(answers.values())


def _item(name: str, question: str, references: tuple[str, ...], subset: str, *statements: Iterable[str]) -> Item:
    must, nice = map(list, statements)
    return Item(name, question, references, meta={"subset": subset, "must_have": must, "nice_to_have": nice})


def _even_out(question: str) -> str:
    """The two files differ in white space around a question."""
    return " ".join(question.split())

"""K-QA: patients' questions, and physicians' judgements of real answers of models.

Manes et al. (2024), https://github.com/Itaymanes/K-QA. Three physicians judged of 50 answers whether they
entail or contradict each statement of the gold answer; the label is the majority's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fas.bench.dataset import Benchmark, Candidate, Item
from fas.bench.files import DataSource, Fields, find, read_csv, read_lines
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
            known.add(_plain(question))
            yield Item(
                id=str(number),
                question=question,
                references=(fields.text("Free_form_answer"),),
                meta={
                    "subset": "answered",
                    "must_have": fields.strings("Must_have"),
                    "nice_to_have": fields.strings("Nice_to_have"),
                },
            )
        extra = [judged for judged in read_judged_answers(folder) if _plain(judged.question) not in known]
        for number, judged in enumerate({answer.question: answer for answer in extra}.values()):
            yield Item(
                id=f"judged/{number}",
                question=judged.question,
                references=(),
                meta={"subset": "judged", "must_have": judged.must_have, "nice_to_have": judged.nice_to_have},
            )

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The answers that physicians judged, with their judgement."""
        ids = {_plain(item.question): item.id for item in self.items(folder)}
        for judged in read_judged_answers(folder):
            counts = judged.counts()
            yield Candidate(
                item=ids[_plain(judged.question)],
                model=judged.model,
                sample=0,
                text=judged.answer,
                gold=factuality(counts),
                meta={"judged_by": "physicians", **counts.as_meta()},
            )


class JudgedAnswer:
    """One answer with the physicians' labels of its statements.

    Attributes:
        must_have: Statements that it must contain.
        nice_to_have: Statements that it may contain.
    """

    def __init__(self, question: str, model: str, answer: str) -> None:
        self.question, self.model, self.answer = question, model, answer
        self.must_have: list[str] = []
        self.nice_to_have: list[str] = []
        self._labels: dict[str, list[str]] = {"Must_have": [], "Nice_to_have": []}

    def add(self, fields: Fields) -> None:
        """Take in one row."""
        category = fields.choice("category_x", ("Must_have", "Nice_to_have"))
        (self.must_have if category == "Must_have" else self.nice_to_have).append(fields.text("claim"))
        self._labels[category].append(fields.choice("majority_label", tuple(_LABELS)))

    def labels(self) -> list[str]:
        """Entailment, Neutral or Contradiction for each must-have statement, then for each nice-to-have one."""
        return [*self._labels["Must_have"], *self._labels["Nice_to_have"]]

    def counts(self) -> StatementCounts:
        """The labels, counted."""
        return StatementCounts.of(*([_LABELS[label] for label in own] for own in self._labels.values()))


def read_judged_answers(folder: Path) -> list[JudgedAnswer]:
    """The answers that physicians judged, statement by statement.

    Raises:
        InputError: The file is missing, or a row of it cannot be used.
    """
    answers: dict[tuple[str, str], JudgedAnswer] = {}
    for fields in read_csv(find(folder, _SOURCE, "NLI_medical_annotator.csv")):
        question, model, answer = fields.text("Question"), fields.text("llm_x"), fields.string("answer")
        judged = answers.setdefault((question, model), JudgedAnswer(question, model, answer))
        if judged.answer != answer:
            fields.fail("answer", f"differs from the answer of {model} to this question in an earlier row")
        judged.add(fields)
    return list(answers.values())


def _plain(question: str) -> str:
    """The two files differ in white space around a question."""
    return " ".join(question.split())

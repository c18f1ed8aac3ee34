"""Gold factuality of an answer from physicians' statements.

The study (section 5.3) derives claim-level labels from MedLFQA's statements, "mapping MH to supported
claims and treating unsupported or contradictory statements as factuality violations". Taken literally,
and with what the statements can tell:

    a must-have statement that the answer entails      is a supported claim
    a must-have statement that it does not entail      is a violation (unsupported, or contradictory)
    a nice-to-have statement that it contradicts       is a violation
    any other nice-to-have statement                   says nothing: an answer may do without it

and gold = supported / (supported + violations). Whether an answer entails a statement is a
physician's label where there is one (K-QA), else a person's from a file (`LabelledStatements`), else a
verifier's judgement with the answer as the passage: such gold is a model's, and where the same verifier
scores the answers the two share its errors.

K-QA's own measures (Manes et al., 2024) are the same counts: comprehensiveness is the share of
must-have statements that are entailed, hallucination the share of all statements that are
contradicted (the paper also gives the number).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fas.bench.dataset import Candidate, Item
from fas.core.errors import InputError
from fas.core.files.plain import json_lines
from fas.core.parts import Verifier
from fas.core.records import Case, Claim, Passage
from fas.core.records.as_json import number_or_none
from fas.pipeline.runs.lines import append_line, line, refuse_unwritable
from fas.scoring.verdicts.judge import judge

_LABELS = ("supported", "contradicted", "unsupported")
_BATCH = 256  # statements judged at a time; does not change a label


class StatementCounts(NamedTuple):
    """Counts of the statements that an answer entails or contradicts; every gold measure follows from them.

    `n_failed` statements could not be judged and are in none of the other counts.
    """

    n_must: int = 0
    n_must_entailed: int = 0
    n_must_contradicted: int = 0
    n_nice: int = 0
    n_nice_entailed: int = 0
    n_nice_contradicted: int = 0
    n_failed: int = 0

    @classmethod
    def of(cls, must: Sequence[str], nice: Sequence[str]) -> StatementCounts:
        """The counts of the labels of must-have and of nice-to-have statements."""
        return cls(
            len(must) - must.count("unverified"),
            must.count("supported"),
            must.count("contradicted"),
            len(nice) - nice.count("unverified"),
            nice.count("supported"),
            nice.count("contradicted"),
            [*must, *nice].count("unverified"),
        )

    def as_meta(self) -> dict[str, Any]:
        """The counts and K-QA's measures, as fields of a candidate; NaN becomes None."""
        measures = {
            "comprehensiveness": comprehensiveness(self),
            "hallucination": hallucination(self),
            "n_contradictions": self.n_must_contradicted + self.n_nice_contradicted,
        }
        return {**self._asdict(), **{name: number_or_none(value) for name, value in measures.items()}}


def factuality(counts: StatementCounts) -> float | None:
    """Gold by the study's rule, in [0, 1], higher is better; None without a must-have statement.

    >>> factuality(StatementCounts(n_must=4, n_must_entailed=3, n_nice=2, n_nice_contradicted=1))
    0.6
    """
    if counts.n_must == 0:
        return None
    return counts.n_must_entailed / (counts.n_must + counts.n_nice_contradicted)


def comprehensiveness(counts: StatementCounts) -> float:
    """K-QA's Comp: share of must-have statements that are entailed; NaN if there are none."""
    return counts.n_must_entailed / counts.n_must if counts.n_must else math.nan


def hallucination(counts: StatementCounts) -> float:
    """K-QA's Hall as a share: statements contradicted among all; lower is better; NaN if there are none."""
    total = counts.n_must + counts.n_nice
    return (counts.n_must_contradicted + counts.n_nice_contradicted) / total if total else math.nan


@dataclass(frozen=True, slots=True)
class StatementJudge:
    """Judges which statements an answer entails or contradicts.

    *verifier*: any verifier; the answer is its passage, the statement its claim. *threshold*: as for claims: a
    statement is entailed (contradicted) if that is at least as likely, and not less likely than the opposite
    (`fas.scoring.formula.decide`).
    """

    verifier: Verifier
    threshold: float = 0.7

    @property
    def signature(self) -> str:
        """Who judges, and from which probability on."""
        return f"{self.verifier.signature}, t={self.threshold:g}"

    @property
    def judged_by(self) -> str:
        """Who judges, as the records of the answers say it."""
        return self.verifier.signature

    def counts(self, answers: Sequence[tuple[Item, str]]) -> list[StatementCounts]:
        """The counts of each answer, in order."""
        # Nothing follows from an empty answer and nothing in it is false: nobody need be asked.
        cases = [
            Case(Claim(statement), (Passage(text),) if text.strip() else (), item.question)
            for item, text in answers
            for statement in _statements(item)
        ]
        judged = judge(self.verifier, cases, [None] * len(cases), threshold=self.threshold, evidence_less=False)
        return _counts_of(answers, [verdict.label for verdict in judged.verdicts])


class LabelledStatements:
    """Labels that people gave: which statements an answer entails or contradicts.

    *path*: JSON Lines with `question_id`, `statement`, `answer` (its whole text) and `label` (`supported`,
    `contradicted`, `unsupported`, or null for none yet). A missing file holds no label. An InputError where a line is
    no such record, or two lines label one statement differently.
    """

    def __init__(self, path: Path) -> None:
        self.signature = self.judged_by = f"labels[{path.name}]"
        self._path = path
        self._missing: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._labels: dict[tuple[str, str, str], str | None] = {}
        for number, record in json_lines(path) if path.exists() else ():
            *texts, label = (record.get(name) for name in ("question_id", "statement", "answer", "label"))
            if not all(isinstance(text, str) for text in texts) or label not in (*_LABELS, None):
                expected = f"question_id, statement, answer (texts) and label ({', '.join(_LABELS)} or null)"
                raise InputError(f"{path}, line {number}: expected {expected}", kind="field", line=number)
            question, statement, answer = map(str, texts)
            before = self._labels.get((question, statement, answer))
            if None not in (before, label) and before != label:
                raise InputError(f"{path}, line {number}: another label than before", kind="field", line=number)
            self._labels[question, statement, answer] = before or label

    def counts(self, answers: Sequence[tuple[Item, str]]) -> list[StatementCounts]:
        """The counts of each answer, in order; a statement without a label counts as failed."""
        labels = []
        for item, text in answers:
            for statement in _statements(item):
                key = (item.id, statement, text)
                label = self._labels.get(key)
                if label is None:
                    row = {"question_id": item.id, "question": item.question, "statement": statement, "answer": text}
                    self._missing[key] = {**row, "label": None}
                labels.append(label or "unverified")
        return _counts_of(answers, labels)

    def add_missing(self) -> int:
        """Add the statements that had no label to the file, with the label null; returns how many had none."""
        new = [row for key, row in self._missing.items() if key not in self._labels]
        try:
            append_line(self._path, map(line, new))
        except OSError as error:
            raise refuse_unwritable(self._path, error) from error
        return len(self._missing)


def _counts_of(answers: Sequence[tuple[Item, str]], labels: Sequence[str]) -> list[StatementCounts]:
    rest = iter(labels)
    return [
        StatementCounts.of(
            *(list(islice(rest, len(item.meta.get(name, ())))) for name in ("must_have", "nice_to_have"))
        )
        for item, _ in answers
    ]


def attach_gold(
    candidates: Iterable[Candidate],
    items: Mapping[str, Item],
    build_judge: Callable[[], StatementJudge | LabelledStatements],
) -> Iterator[Candidate]:
    """The candidates in order, with gold by the study's rule where they had none.

    Candidates that bring gold, and those of questions without must-have statements, are passed on unchanged.
    *build_judge* is called once, for the first of the others.
    """
    judge: StatementJudge | LabelledStatements | None = None
    for batch in _batch(candidates, items):
        asked = [one for one in batch if one.gold is None and items[one.item].meta.get("must_have")]
        found: dict[int, Candidate] = {}
        if asked:
            judge = judge or build_judge()
            for one, counts in zip(asked, judge.counts([(items[one.item], one.text) for one in asked]), strict=True):
                meta = {**one.meta, "judged_by": judge.judged_by, **counts.as_meta()}
                found[id(one)] = replace(one, gold=factuality(counts), meta=meta)
        for one in batch:
            yield found.get(id(one), one)


def _batch(candidates: Iterable[Candidate], items: Mapping[str, Item]) -> Iterator[list[Candidate]]:
    """The candidates in lists of about `_BATCH` statements."""
    batch: list[Candidate] = []
    size = 0
    for candidate in candidates:
        batch.append(candidate)
        size += max(1, len(_statements(items[candidate.item])))
        if size >= _BATCH:
            yield batch
            batch, size = [], 0
    yield batch


def _statements(item: Item) -> list[str]:
    return [*item.meta.get("must_have", ()), *item.meta.get("nice_to_have", ())]

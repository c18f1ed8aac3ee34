"""The contents of a benchmark: questions with references, and stored answers of models where it has them.

A loader turns the files that a benchmark's owners publish into these, and nothing else: it
computes no score and loads no model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from fas.core.records import Passage

Template = Literal["qa", "summary"]


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark.

    Attributes:
        id: Unique in the benchmark; for one made of several sets `SET/NUMBER`.
        references: Expert answers; may be empty.
        passages: Evidence that comes with the question; None if the benchmark has none for
            any question, an empty tuple if it has none for this one.
        kind: Type of question as the owners name it (factoid, list, summary, yesno), or None.
        meta: What else the owners say, under these names where they apply: `subset` (always),
            `must_have`, `nice_to_have` (lists of statements), `exact` (list of lists of synonyms,
            or yes/no), `decision` (yes, no, maybe), `documents`, `abstract`.
    """

    id: str
    question: str
    references: tuple[str, ...]
    passages: tuple[Passage, ...] | None = None
    kind: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One answer of a model to one question.

    Attributes:
        item: `Item.id` of the question.
        model: Name of the model, as the owners write it.
        sample: Number of the answer among the model's answers to this question, from 0.
        text: The answer; may be empty.
        gold: A human's or the owners' judgement of the answer, higher is better; None where they
            give none. Its range is the benchmark's: see its card.
        meta: What else is known of the answer, e.g. `comprehensiveness`, `hallucination`, `mode`.
    """

    item: str
    model: str
    sample: int
    text: str
    gold: float | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Preference:
    """Experts' choice between two answers to a question, criterion by criterion.

    Attributes:
        item: `Item.id` of the question.
        a: The first answer.
        votes: Criterion to the experts' votes, `"a"`, `"b"` or `"tie"`, each for the better
            answer (turned round where the criterion names a fault).
    """

    item: str
    a: Candidate
    b: Candidate
    votes: Mapping[str, tuple[str, ...]]


class Benchmark:
    """A set of questions whose files lie in a folder of data.

    Attributes:
        name: Short name, e.g. `"medlfqa"`.
        title: One line: what it is and how large.
        template: The prompt for a question whose `kind` does not decide it.
        subsets: Values of `Item.meta["subset"]` that `fas bench` takes by default; () for all.
        kinds: Values of `Item.kind`, likewise.
        subset_rule: Which questions are taken by default, and how that differs from the study's counts.
    """

    name: str
    title: str
    template: Template = "qa"
    subsets: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    subset_rule: str

    def items(self, folder: Path) -> Iterator[Item]:
        """Every question, in the order of the files.

        *folder* is the folder of data (`--data`, `FAS_DATA_DIR`): the owners' repository, or a folder that holds it
        under one of the names in the benchmark's card. An InputError says which file is missing and where it comes
        from, or which line or key does not have the owners' shape.
        """
        raise NotImplementedError

    def candidates(self, folder: Path) -> Iterator[Candidate]:
        """The stored answers of models, with errors as of `items`; nothing where the owners publish none.

        Every `Candidate.item` is the id of one of `items`, and no two have the same item, model and sample.
        """
        return iter(())

    def grade(self, item: Item, candidate: Candidate) -> Candidate:
        """An answer that is not the owners', with its gold where the benchmark can read it."""
        return candidate

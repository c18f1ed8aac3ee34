"""What a revision would ask language models, without sending anything.

The first round is counted by its real prompts. How long answers will be that nobody has given yet is assumed, and so is
the worst for every later round: that all questions fail, with as many documents as a prompt may hold.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.answers.files import BadLine, read_answers
from fas.core.checks import count_of, whole_number
from fas.core.profile import PartSpec, Profile
from fas.core.records import Passage
from fas.leaf.generator import generators
from fas.leaf.questions import QuestionFile, open_questions
from fas.leaf.settings import Revising
from fas.llm.dryrun import DryRun
from fas.llm.parts import RunModels
from fas.llm.usage_tracker import UsageEstimate
from fas.pipeline import choose_evidence_source, split_into_chunks
from fas.pipeline.runs.dry_run import PASSAGE_CHARACTERS, estimate_run
from fas.report.tables import json_ready

_SENTENCE = "Statement number {} of answer {} stands for a sentence of an answer that was not given yet."
_BATCH = 256


@dataclass(frozen=True, slots=True)
class RevisionEstimate:
    """What a revision would take.

    Attributes:
        stages: Stage to model to estimate, in the order of the work.
        assumed: What had to be assumed, a sentence each.
    """

    n: int
    stages: Mapping[str, Mapping[str, UsageEstimate]]
    assumed: tuple[str, ...]

    @property
    def total(self) -> UsageEstimate:
        """The sum; its cost is unknown if that of any model is."""
        return sum([one for stage in self.stages.values() for one in stage.values()], start=UsageEstimate())

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return json_ready({"n": self.n, "stages": self.stages, "total": self.total, "assumed": self.assumed})  # type: ignore[no-any-return]

    def as_text(self) -> str:
        """A line for each stage and model, the total, and what was assumed."""
        lines = [f"dry run of {count_of(self.n, 'question')}; nothing was sent"]
        for name, stage in self.stages.items():
            lines += [f"  {name}, {model}: {one}" for model, one in stage.items()] or [f"  {name}: no language model"]
        return "\n".join([*lines, f"  total: {self.total}", *(f"! assumed: {one}" for one in self.assumed)])


def estimate_revision(
    source: Path, profile: Profile, settings: Revising, *, answers: Path | None = None, sentences: int = 8
) -> RevisionEstimate:
    """What revising the answers to *source* would ask language models.

    Raises:
        InputError: A file cannot be used.
        ValueError: A setting is impossible.
    """
    whole_number("sentences", sentences)
    found = open_questions(source)
    profile = profile.override(evidence=choose_evidence_source(profile, has_passages=found.has_passages))
    given = {} if answers is None else {i.id: i.prediction for i in read_answers(answers) if not isinstance(i, BadLine)}
    models = RunModels(profile.llm)
    document = Passage("evidence " * (PASSAGE_CHARACTERS // 9))
    stages: dict[str, Mapping[str, UsageEstimate]] = {}
    assumed: list[str] = []
    for number in range(settings.max_iterations + 1):
        known = given if number == 0 else {}
        made_up = {q.id for q in found if number or (q.id not in given and q.prediction is None)}
        n_documents = settings.max_documents if number else min(settings.max_documents, profile.k)
        documents = [document] * (0 if number == 0 and settings.first == "plain" else n_documents)
        asked = DryRun()
        generator = models.create(generators, PartSpec("chat", settings.generate), dry_run=asked)
        for chunk in split_into_chunks((question for question in found if question.id in made_up), _BATCH):
            generator.ask([generator.prompt(question, documents).text for question in chunk])
        stages[f"round {number}, answers"] = asked.estimates()
        with tempfile.TemporaryDirectory() as folder:
            check = estimate_run(_write_answers(found, Path(folder), known, sentences, number), profile)
        for kind in ("claims", "queries", "verdicts"):
            if estimates := getattr(check, kind):
                stages[f"round {number}, {kind}"] = estimates
        if number == 0:
            assumed += check.assumed
            if made_up:
                assumed.append(f"{sentences} sentences in each of {len(made_up)} answers that do not exist yet")
    if settings.max_iterations:
        assumed.append(
            f"every answer fails and is given again with {settings.max_documents} documents, as long as the first: "
            "the most that later rounds can take"
        )
    return RevisionEstimate(found.n, stages, tuple(dict.fromkeys(assumed)))


def _write_answers(
    questions: QuestionFile, folder: Path, given: Mapping[str, str], sentences: int, number: int
) -> Path:
    """The file of the answers that round *number* checks, made up where none is known."""
    path = folder / "answers.jsonl"
    with path.open("w", encoding="utf-8") as out:
        for question in questions:
            text = given.get(question.id, question.prediction if number == 0 else None)
            if text is None:
                text = " ".join(_SENTENCE.format(i + 1, f"{number}-{question.id}") for i in range(sentences))
            record = {"id": question.id, **question.record(), "prediction": text}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path

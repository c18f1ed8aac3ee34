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
from fas.leaf.generator import AnswerGenerator, generators
from fas.leaf.questions import QuestionFile, open_questions
from fas.leaf.settings import Revising
from fas.llm.dryrun import DryRun
from fas.llm.parts import RunModels
from fas.llm.usage_tracker import UsageEstimate
from fas.pipeline import choose_evidence_source, chunks
from fas.pipeline.runs.dry_run import PASSAGE_CHARACTERS, RunEstimate, estimate_run
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
    stages: dict[str, Mapping[str, UsageEstimate]] = {}
    assumed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder) / "answers.jsonl"
        n_made_up = _answers(found, first, given, sentences)
        asked = DryRun()
        models = RunModels(profile.llm)
        generator = models.create(generators, PartSpec("chat", settings.generate), dry_run=asked)
        document = Passage("evidence " * (PASSAGE_CHARACTERS // 9))
        n_first = settings.max_documents if settings.first == "rag" else 0
        _ask(
            generator,
            found,
            [document] * min(n_first, profile.k),
            only=lambda q: q.id not in given and q.prediction is None,
        )
        stages["round 0, answers"] = asked.estimates()
        check = estimate_run(first, profile)
        _add(stages, "round 0", check)
        assumed += check.assumed
        if n_made_up:
            assumed.append(f"{sentences} sentences in each of {n_made_up} answers that do not exist yet")
        for number in range(1, settings.max_iterations + 1):
            asked = DryRun()
            generator = models.create(generators, PartSpec("chat", settings.generate), dry_run=asked)
            _ask(generator, found, [document] * settings.max_documents)
            stages[f"round {number}, answers"] = asked.estimates()
            if number < settings.max_iterations or settings.last_check:
                later = Path(folder) / f"answers-{number}.jsonl"
                _answers(found, later, {}, sentences, number=number)
                _add(stages, f"round {number}", estimate_run(later, profile))
        if settings.max_iterations:
            assumed.append(
                f"every answer fails and is given again with {settings.max_documents} documents, as long as the first: "
                "the most that later rounds can take"
            )
    return RevisionEstimate(found.n, stages, tuple(dict.fromkeys(assumed)))


def _answers(questions: QuestionFile, path: Path, given: Mapping[str, str], sentences: int, *, number: int = 0) -> int:
    """Write answers to be checked, made up where there are none; how many were made up."""
    made_up = 0
    with path.open("w", encoding="utf-8") as out:
        for question in questions:
            text = given.get(question.id, question.prediction if number == 0 else None)
            if text is None:
                made_up += 1
                text = " ".join(_SENTENCE.format(i + 1, f"{number}-{question.id}") for i in range(sentences))
            out.write(
                json.dumps({"id": question.id, **question.record(), "prediction": text}, ensure_ascii=False) + "\n"
            )
    return made_up


def _ask(generator: AnswerGenerator, questions: QuestionFile, documents: list[Passage], only: Any = None) -> None:
    wanted = (question for question in questions if only is None or only(question))
    for chunk in chunks(wanted, _BATCH):
        generator.ask([generator.prompt(question, documents).text for question in chunk])


def _add(stages: dict[str, Mapping[str, UsageEstimate]], name: str, check: RunEstimate) -> None:
    for kind, estimates in (("claims", check.claims), ("queries", check.queries), ("verdicts", check.verdicts)):
        if estimates:
            stages[f"{name}, {kind}"] = estimates

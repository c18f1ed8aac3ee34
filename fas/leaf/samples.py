"""Several answers to each question, to be checked and learnt from (LEAF, section 2.3).

    OUT/sample.json      the settings and the questions' hash; a run with others may not resume here
    OUT/answers.jsonl    the answers, `ITEM#N` for the N-th to question ITEM, as `fas score` takes them

An answer's `meta` has `item` and `question_id` (the question), `sample` (its number), `stem` (the question without its
options), `prompt` (what was asked, word by word) and, where the right option is known, `choice` and `gold` (1 or 0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas._version import __version__
from fas.core.checks import count_of, whole_number
from fas.core.profile import PartSpec
from fas.leaf.generator import AnswerGenerator, generators
from fas.leaf.questions import Question, QuestionFile, open_questions
from fas.leaf.rounds import check_free
from fas.llm.dryrun import DryRun
from fas.llm.parts import RunModels
from fas.llm.said import extract_answer_text
from fas.pipeline import split_into_chunks
from fas.pipeline.runs.folder import lock_folder
from fas.pipeline.runs.lines import Lines
from fas.pipeline.runs.loop import RunLoop
from fas.pipeline.runs.settings import pin_settings
from fas.text.choices.reading import read_choice

N = 5
TEMPERATURE = 0.8
_AT_ONCE = 64
Tell = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Sampled:
    """What came of sampling.

    Attributes:
        n_cut: Those that were cut off; they are checked, and never learnt from.
        failures: Answer to why it is not there; the first twenty.
    """

    n_questions: int
    n_answers: int
    n_cut: int
    failures: Mapping[str, str]
    n_failures: int
    notes: tuple[str, ...]
    path: Path

    def as_text(self) -> str:
        """For people."""
        lines = [f"{count_of(self.n_answers, 'answer')} to {count_of(self.n_questions, 'question')} in {self.path}"]
        lines += [f"! {self.n_cut} answers were cut off; they are never learnt from"] if self.n_cut else []
        lines += [f"! no answer {name}: {why}" for name, why in self.failures.items()]
        return "\n".join([*lines, *(f"! {note}" for note in self.notes)])


def sample_file(
    source: Path,
    out: Path,
    *,
    generate: Mapping[str, Any],
    n: int = N,
    temperature: float = TEMPERATURE,
    llm: Mapping[str, Any] | None = None,
    offline: bool = False,
    tell: Tell = lambda done, total: None,
) -> Sampled:
    """Draw *n* answers to each question; an interrupted run resumes.

    *source*: file of questions (`fas.leaf.questions`). *n*: answers a question; may grow later. *temperature*: above 0.
    *llm*: settings of the models and the budget, as a profile's `[llm]` table. *offline*: what is not in the cache
    stops the run. *tell*: called with the answers that are there and those there will be.

    Raises:
        InputError: A file or the folder cannot be used.
        ValueError: A setting is impossible.
        RunStopped: The model does not work at all, or the budget is spent; what was finished is kept.
    """
    whole_number("n", n)
    if not 0 < temperature < math.inf:
        raise ValueError(f"`temperature` must be above 0, so that answers differ, got {temperature!r}")
    found = open_questions(source)
    models = RunModels(llm or {}, offline=offline)
    generator = models.create(generators, PartSpec("chat", {**generate, "temperature": temperature}))
    answers = Lines(out / "answers.jsonl")
    settings = out / "sample.json"
    check_free([source], settings, [answers.path], "sampling")
    with lock_folder(out):
        pin_settings(settings, {"questions": found.digest, "generator": generator.signature, "v": __version__})
        answers.trim_partial_line()
        failures = _draw(found, answers, generator, n, tell)
    cut = sum(record.get("finish") == "length" for record in answers)
    return Sampled(
        found.n,
        len(answers),
        cut,
        dict(list(failures.items())[:20]),
        len(failures),
        tuple(models.notes()),
        answers.path,
    )


def estimate_samples(
    source: Path, *, generate: Mapping[str, Any], n: int, temperature: float, llm: Mapping[str, Any] | None = None
) -> DryRun:
    """The requests of sampling; nothing is sent or written."""
    found = open_questions(source)
    dry_run = DryRun()
    spec = PartSpec("chat", {**generate, "temperature": temperature})
    generator = RunModels(llm or {}).create(generators, spec, dry_run=dry_run)
    for chunk in split_into_chunks(((question, i) for question in found for i in range(n)), _AT_ONCE):
        generator.ask([generator.prompt(question).text for question, _ in chunk], samples=[i for _, i in chunk])
    return dry_run


def _draw(found: QuestionFile, answers: Lines, generator: AnswerGenerator, n: int, tell: Tell) -> dict[str, str]:
    """Draw what is not in *answers*; answer to why it could not be had."""
    failures: dict[str, str] = {}

    def drawn(chunk: Sequence[tuple[Question, int]]) -> list[dict[str, Any]]:
        prompts = [generator.prompt(question).text for question, _ in chunk]
        replies = generator.ask(prompts, samples=[i for _, i in chunk])
        records = []
        for (question, i), prompt, reply in zip(chunk, prompts, replies, strict=True):
            # A first answer that was cut off is one, since there is no other to keep.
            spoken = extract_answer_text(reply, cut_off=True)
            if spoken.failure is not None:
                failures[f"{question.id}#{i}"] = spoken.failure
            else:
                records.append(_record(question, i, prompt, spoken.text.strip(), reply.finish, generator))
        return records

    loop = RunLoop[tuple[Question, int]](
        answers,
        size=_AT_ONCE,
        key=lambda unit: f"{unit[0].id}#{unit[1]}",
        progress=lambda _: tell(len(answers), found.n * n),
    )
    loop.run(lambda: ((question, i) for question in found for i in range(n)), lambda chunks: map(drawn, chunks))
    return failures


def _record(
    question: Question, number: int, prompt: str, text: str, finish: str | None, generator: AnswerGenerator
) -> dict[str, Any]:
    record: dict[str, Any] = {"id": f"{question.id}#{number}", **question.record(), "prediction": text}
    record |= {"item": question.id, "question_id": question.id, "sample": number, "stem": question.text}
    record |= {"prompt": prompt, "finish": finish, "generator": generator.signature}
    if question.options is not None:
        record["choice"] = read_choice(text, question.options).letter
        if question.answer is not None:
            record["gold"] = int(record["choice"] == question.answer)
    return record

"""Fact-Check-then-RAG (LEAF, section 2.2): answers that fail their check are answered again with what it found.

    OUT/revise.json          the settings and the questions' hash; a run with others may not resume here
    OUT/round-0/             the first answers and their check, an ordinary results folder of `fas score`
    OUT/round-1/ ...         the answers given again, of the questions that failed the check before
    OUT/final.jsonl          one answer a question, written last
    OUT/report.json          OUT/report.html: what changed between the rounds

There is no state but these files: a round begins when the one before is complete, and a killed run resumes where it
stopped. Answers are appended. A question is not done again in a round once the next one answers it; only what failed,
or could not be verified or checked, is tried again by the same command.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fas._version import __version__
from fas.api import score_file
from fas.core.arguments import list_keywords, refuse_unknown
from fas.core.checks import count_of
from fas.core.files.own import REPORT, replace_file
from fas.core.loading import track_loading
from fas.core.parts import retrievers, verifiers
from fas.core.parts.options import query_settings
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Answer, Claim, Passage
from fas.core.records.evidence_source import EvidenceSource
from fas.leaf.feedback_documents import Knowledge, document_key
from fas.leaf.generator import AnswerGenerator, generators
from fas.leaf.questions import Question, QuestionFile, open_questions
from fas.leaf.revision_report import Revised, write_outcome
from fas.leaf.rounds import RevisionRound, check_free
from fas.leaf.settings import Revising
from fas.leaf.stopping import Stop, check_of, stop_after
from fas.llm.parts import RunModels, uses_language_model
from fas.llm.said import extract_answer_text
from fas.pipeline import Pipeline, choose_evidence_source
from fas.pipeline.runs.folder import lock_folder
from fas.pipeline.runs.loop import RunLoop
from fas.pipeline.runs.settings import pin_settings

if TYPE_CHECKING:
    from fas.api import Progress
    from fas.core.answers.files import Scan

U = TypeVar("U")
Tell = Callable[[str], None]
BATCH = 16


class Next(NamedTuple):
    """A prompt of the next round."""

    question: Question
    prompt: str
    knowledge: tuple[Passage, ...]
    n_cut: int


def revise(
    questions: str | Path | Iterable[Mapping[str, Any]],
    *,
    out: str | Path,
    generate: str | Mapping[str, Any],
    profile: str | Path | Profile = "mini",
    evidence: str | None = None,
    answers: str | Path | None = None,
    offline: bool = False,
    **settings: Any,
) -> Revised:
    """Answer *questions*, check the answers, and answer again where the check failed.

    Args:
        questions: File of questions (see `fas.leaf.questions`), or dicts with their fields.
        out: The output folder.
        generate: Who answers: name of a language model, or the options of `fas.leaf.generator.AnswerGenerator`.
        profile: Who checks: a profile of `fas score`.
        evidence: As for `fas.score_answers`.
        answers: File of first answers (`id`, `prediction`), for questions that have some already.
        offline: Send nothing; what is not in the cache stops the run.
        settings: Those of `fas.leaf.settings.Revising`, e.g. `max_iterations=2`.

    Raises:
        ValueError: The questions, a setting or the folder cannot be used.
        RunStopped: A model or the evidence does not work at all, or the budget is spent; what was finished is kept.
    """
    refuse_unknown("revise", [*list_keywords(revise)[0], *Revising.__dataclass_fields__], settings)
    out = Path(out)
    given = isinstance(questions, str | Path)
    path = Path(questions) if given else _write_questions(list(questions), out / "questions.jsonl")  # type: ignore[arg-type]
    options = {"model": generate} if isinstance(generate, str) else dict(generate)
    return revise_file(
        path,
        out,
        profile=load_profile(profile).override(evidence=evidence),
        settings=Revising(generate=options, **settings),
        answers=None if answers is None else Path(answers),
        offline=offline,
    )


def revise_file(
    source: Path,
    out: Path,
    *,
    profile: Profile,
    settings: Revising,
    answers: Path | None = None,
    offline: bool = False,
    tell: Tell = lambda _: None,
    started: Callable[[Scan, int], None] | None = None,
    progress: Progress | None = None,
) -> Revised:
    """`revise` for a file of questions.

    *answers*: file of first answers. *tell*: called with a line for the user, now and then. *started*: as for
    `fas.api.score_file`, for every check.

    Raises:
        InputError: A file or the folder cannot be used.
        RunStopped: As for `revise`.
    """
    found = open_questions(source)
    profile = profile.override(evidence=choose_evidence_source(profile, has_passages=found.has_passages))
    given = _read_first_answers(answers)
    models = RunModels(profile.llm, offline=offline)
    generator = models.create(generators, PartSpec("chat", settings.generate))
    knowledge = Knowledge(trigger=settings.trigger_for(profile), whose=settings.knowledge)
    written = [out / name for name in ("final.jsonl", REPORT, "report.html")]
    check_free([source, *([] if answers is None else [answers])], out / "revise.json", written, "a revision")
    # Build what the checks need first, so that a mistake in it shows before answers are paid for.
    Pipeline(profile, has_passages=found.has_passages, offline=offline, models=models).close()
    with lock_folder(out):
        pin_settings(out / "revise.json", _pin_settings(found, answers, generator, profile, settings, knowledge))
        run = Run(found, out, profile, settings, generator, knowledge, models, offline, tell, started, progress)
        rounds = [run.first(given)]
        while run.check(rounds) and len(rounds) <= settings.max_iterations:
            following = run.answer_again(rounds)
            if following is None:
                break
            rounds.append(following)
        try:
            return write_outcome(run, rounds)
        finally:
            knowledge.close()


@dataclass
class Run:
    """What the rounds of one revision share."""

    questions: QuestionFile
    out: Path
    profile: Profile
    settings: Revising
    generator: AnswerGenerator
    knowledge: Knowledge
    models: RunModels
    offline: bool
    tell: Tell
    started: Callable[[Scan, int], None] | None
    progress: Progress | None
    failures: dict[str, str] = field(default_factory=dict)

    @property
    def judges(self) -> bool:
        """Whether a language model judges the claims."""
        return uses_language_model(verifiers, self.profile.verify.name)

    @property
    def writes_queries(self) -> bool:
        """Whether a language model writes queries for them."""
        ask = query_settings(self.profile.evidence_options.get("ask"), k=self.profile.k)
        return ask is not None and EvidenceSource(str(self.profile.evidence)).takes_queries

    def notes(self) -> list[str]:
        """What a reader of the outcome must know."""
        notes = [f"a claim is a reason to answer again if it is {self.knowledge.trigger}"]
        if self.settings.first == "rag":
            notes.append(
                "the first answers' documents were found by the question alone, those of later ones by queries or "
                "claims, which see options and answer: the two differ in more than the check"
            )
        return [*notes, *self.models.notes()]

    def first(self, given: Mapping[str, str]) -> RevisionRound:
        """Round 0: every question has an answer, or a failure."""
        one = RevisionRound(self.out, 0)

        def answered(chunk: Sequence[Question]) -> list[dict[str, Any]]:
            old = [q for q in chunk if q.id in given or q.prediction is not None]
            records = [{"id": q.id, **q.record(), "prediction": given.get(q.id, q.prediction), "round": 0} for q in old]
            new = [q for q in chunk if q.id not in given and q.prediction is None]
            return [*records, *self._request_answers(one, list(self._make_first_prompts(new)) if new else [])]

        self._fill(one, self.questions.__iter__, answered, lambda question: question.id)
        return one

    def check(self, rounds: list[RevisionRound]) -> bool:
        """Check the answers of the last of *rounds*; False if there are none."""
        one = rounds[-1]
        if not len(one.answers):
            return False
        following = RevisionRound(self.out, one.number + 1)
        self.tell(f"round {one.number}: {count_of(len(one.answers), 'answer')} to check")
        score_file(
            one.answers.path,
            one.path,
            profile=self.profile,
            offline=self.offline,
            save_evidence=one.evidence,
            models=self.models,
            pinned=self.questions.digest,
            settled=following.answers.finished,
            started=self.started,
            progress=self.progress,
        )
        one.reload()
        return True

    def answer_again(self, rounds: list[RevisionRound]) -> RevisionRound | None:
        """The next round, for the questions whose last answer failed its check; None if there is none."""
        following = RevisionRound(self.out, len(rounds))
        self._fill(
            following,
            lambda: self._make_next_prompts(rounds, following),
            lambda chunk: self._request_answers(following, chunk),
            lambda unit: unit.question.id,
        )
        return following if len(following.answers) else None

    def _fill(
        self,
        one: RevisionRound,
        units: Callable[[], Iterator[U]],
        answered: Callable[[Sequence[U]], list[dict[str, Any]]],
        key: Callable[[U], str],
    ) -> None:
        """Answer what is not answered in the round *one*."""
        one.answers.trim_partial_line()
        with track_loading(f"answering, round {one.number}"):
            RunLoop(one.answers, size=BATCH, key=key).run(units, lambda chunks: map(answered, chunks))

    def step(self, question: Question, rounds: list[RevisionRound]) -> Stop | Next:
        """What follows the last answer to *question* in *rounds*: the end and its reason, or the next prompt."""
        last = rounds[-1]
        record = last.scores.get(question.id)
        if record is None:
            return "limit"
        check = check_of(record, self.knowledge.failed)
        said = [(one.answers.get(question.id) or {}).get("prediction") for one in rounds[-2:]]
        unchanged = len(said) > 1 and said[0] == said[1]
        stop = stop_after(check, unchanged=unchanged, rounds_left=self.settings.max_iterations - last.number)
        if stop is not None:
            return stop
        documents = self.knowledge.of(question.id, rounds)
        if not documents:
            return "no_knowledge"
        fitted = self.generator.prompt(question, documents, most=self.settings.max_documents)
        before = (last.answers.get(question.id) or {}).get("knowledge") or []
        if len(rounds) > 1 and set(before) == set(map(document_key, fitted.shown)):
            return "unchanged"
        return Next(question, fitted.text, fitted.shown, fitted.n_cut)

    def stop(self, question: Question, rounds: list[RevisionRound]) -> Stop:
        """Why *question* was not answered again after *rounds*."""
        step = self.step(question, rounds)
        return "failed" if isinstance(step, Next) else step

    def _make_next_prompts(self, rounds: list[RevisionRound], following: RevisionRound) -> Iterator[Next]:
        for question in self.questions:
            if question.id in rounds[-1].answers and question.id not in following.answers:
                step = self.step(question, rounds)
                if isinstance(step, Next):
                    yield step

    def _make_first_prompts(self, questions: list[Question]) -> Iterator[Next]:
        if self.settings.first == "plain":
            for question in questions:
                yield Next(question, self.generator.prompt(question).text, (), 0)
            return
        source = EvidenceSource(str(self.profile.evidence))
        options = {key: value for key, value in self.profile.evidence_options.items() if key != "ask"}
        retriever = retrievers.create(source.name, argument=source.argument, k=self.profile.k, **options)
        try:
            asked = [Answer(q.id, "", q.text, passages=_read_passages(q)) for q in questions]
            retrievals = retriever.retrieve([Claim(q.text) for q in questions], asked)
        finally:
            close = getattr(retriever, "close", None)
            if close is not None:
                close()
        for question, retrieval in zip(questions, retrievals, strict=True):
            if retrieval.failure is not None:
                self.failures[question.id] = f"no documents for the first answer: {retrieval.failure}"
                continue
            fitted = self.generator.prompt(question, retrieval.passages, most=self.settings.max_documents)
            yield Next(question, fitted.text, fitted.shown, fitted.n_cut)

    def _request_answers(self, one: RevisionRound, asked: Sequence[Next]) -> list[dict[str, Any]]:
        """The records of the answers that could be had."""
        if not asked:
            return []
        replies = self.generator.ask([item.prompt for item in asked])
        records = []
        for item, reply in zip(asked, replies, strict=True):
            # A first answer that was cut off is one, since there is no other to keep.
            spoken = extract_answer_text(reply, cut_off=one.number == 0)
            if spoken.failure is not None:
                self.failures[item.question.id] = spoken.failure
                continue
            self.failures.pop(item.question.id, None)
            record = {"id": item.question.id, **item.question.record(), "prediction": spoken.text.strip()}
            record |= {"round": one.number, "finish": reply.finish, "generator": self.generator.signature}
            record["completion_tokens"] = reply.completion_tokens
            if item.knowledge or item.n_cut:
                record |= {
                    "knowledge": [document_key(passage) for passage in item.knowledge],
                    "knowledge_cut": item.n_cut,
                }
            records.append(record)
        return records


def _read_passages(question: Question) -> tuple[Passage, ...] | None:
    from fas.core.answers.schema import to_answer

    if "passages" not in question.rest:
        return None
    return to_answer({"prediction": "", "passages": question.rest["passages"]}, line=1, where="passages").passages


def _read_first_answers(path: Path | None) -> dict[str, str]:
    """Id to first answer."""
    from fas.core.answers.files import BadLine, read_answers

    given = {}
    for item in read_answers(path) if path is not None else ():
        if isinstance(item, BadLine):
            raise item.error
        given[item.id] = item.prediction
    return given


def _write_questions(questions: list[Mapping[str, Any]], path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replace_file(path) as out:
        out.writelines(json.dumps(dict(question), ensure_ascii=False) + "\n" for question in questions)
    return path


def _pin_settings(
    questions: QuestionFile,
    answers: Path | None,
    generator: AnswerGenerator,
    profile: Profile,
    settings: Revising,
    knowledge: Knowledge,
) -> dict[str, str]:
    """What decides the answers of a round; how many rounds there are, and which answer is taken, does not."""
    return {
        "questions": questions.digest,
        "answers": "" if answers is None else hashlib.sha256(answers.read_bytes()).hexdigest()[:16],
        "generator": generator.signature,
        "first": settings.first,
        "trigger": knowledge.trigger,
        "knowledge": knowledge.whose,
        "max_documents": str(settings.max_documents),
        "evidence": str(profile.evidence),
        "v": __version__,
    }

"""`fas.Scorer`: a profile, checked and loaded once, that scores as often as it is asked."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from fas._version import __version__
from fas.core.answers.files import answers_from, count_labelled
from fas.core.answers.schema import find_misnamed_fields
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import suggest_arguments
from fas.core.errors import InputError
from fas.core.loading import fork_safe_lock
from fas.core.parts import Retriever
from fas.core.parts.own import register_own_evidence, register_own_parts
from fas.core.profile import Profile, load_profile
from fas.core.records import Answer, AnswerScore, Report
from fas.core.records.evidence_source import EvidenceSource
from fas.llm.parts import RunModels
from fas.pipeline import Pipeline, choose_evidence_source
from fas.pipeline.runs.folder import RunFolder, check_inputs
from fas.pipeline.runs.loop import RunLoop, Store
from fas.pipeline.runs.notes import note_input, note_records
from fas.pipeline.runs.settings import note_sources
from fas.pipeline.runs.tally import RunTally
from fas.pipeline.runs.work import LocalWorker, Work
from fas.scoring.aggregate import collect_columns, report_of

# A DataFrame or a Dataset goes by `Any`: neither library is needed for the type.
Answers = str | Path | Iterable[Mapping[str, Any] | Answer] | Any
_IDLE = 4
"""Pipelines that wait for another call of one kind; what more threads used at once is closed again."""


class Scorer:
    """A profile, checked and loaded once, that scores as often as it is asked.

    Calls share the models and tables of the process and, where the profile names language models, their clients and
    budget. A source of evidence stays open from one call to the next, as it was when it was opened, until `close`.
    Everything that is counted belongs to one call (but calls that ask one language model at the same time count each
    other's replies). It may be called from several threads and tasks at once, and in a forked process.

    Args:
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: `passages`, `index:DIR`, `entrez`, `opensearch:URL/INDEX`, `snapshot:FILE` or `none`, or a source of
            one's own, an instance or a class; the profile's choice by default, then `passages` if any answer of a call
            carries some.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of `Profile`, e.g. `k=3`, `threshold=0.8`; a part (`claims`, `verify`) by its name, or
            as a class or an instance of your own.

    Raises:
        ValueError: An impossible setting.

    >>> with Scorer("mini", safety=False) as scorer:
    ...     report = scorer.score([{"prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}])
    >>> report.answers[0].verdicts[0].label
    'supported'
    """

    @suggest_arguments
    def __init__(
        self,
        profile: str | Path | Profile = "mini",
        *,
        evidence: str | Retriever | type[Retriever] | None = None,
        offline: bool = False,
        **overrides: Any,
    ) -> None:
        self.profile = load_profile(profile).override(
            evidence=register_own_evidence(evidence), **register_own_parts(overrides)
        )
        self._offline = offline
        self._models = RunModels(self.profile.llm, offline=offline)
        self._closed = False
        self._idle: dict[EvidenceSource, list[Pipeline]] = {}
        self._lock = fork_safe_lock()
        self._process = os.getpid()

    @suggest_arguments
    def score(
        self,
        answers: Answers,
        *,
        by: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
        output_dir: str | Path | None = None,
        overwrite: bool = False,
    ) -> Report:
        """Score *answers* and keep every answer's verdicts in the report.

        Args:
            answers: As for `score_answers`.
            by: Fields of `meta` to group by.
            columns: As for `score_answers`.
            output_dir: As for `score_answers`.
            overwrite: As for `score_answers`.

        Raises:
            ValueError: No answers, a bad field, a field to group by that no answer has, no evidence to be had, the
                scorer is closed, or the folder holds another run's results or cannot be written.
            FolderInUse: Another run writes the folder.
        """
        if self._closed:
            raise ValueError("this Scorer is closed; make a new one")
        recognised: dict[str, str] = {}
        checked = answers_from(answers, columns=columns, recognised=recognised)
        if not checked:
            raise InputError("no answers to score", kind="empty_input")
        check_groups(by, {name for answer in checked for name in answer.meta})
        if output_dir is not None and isinstance(answers, str | Path):
            check_inputs(as_source(Path(answers)).files, Path(output_dir))
        with ExitStack() as stack:
            folder = None
            if output_dir is not None:
                folder = stack.enter_context(RunFolder(Path(output_dir), fresh=overwrite))
            source = None
            if isinstance(answers, str | Path):
                source = AnswerSource(Path(answers), str(answers), dict(columns or {}))
            return self._score(checked, by, folder, recognised, source)

    def _score(
        self,
        checked: Sequence[Answer],
        by: Sequence[str],
        folder: RunFolder | None,
        recognised: Mapping[str, str],
        source: AnswerSource | None,
    ) -> Report:
        began = time.perf_counter()
        given = note_input(
            Counter(name for answer in checked for name in find_misnamed_fields(answer)),
            sum(map(count_labelled, checked)),
            sum(answer.reasoning > 0 for answer in checked),
            recognised,
        )
        found: dict[str, AnswerScore] = {}
        with self._lend_pipeline(checked) as pipeline:
            work = LocalWorker(pipeline, lambda score: found.__setitem__(score.answer.id, score))
            if folder is not None:
                settings = run_settings(work, _digest(checked))
                folder.resume(settings, notes=note_sources(pipeline.profile, pipeline.evidence, source))
                # The report holds every score, so that answers with a line are scored once more.
                folder.unverified |= folder.finished
                folder.finished = set()
            tally = RunTally(work, {}, began=began, given=given)
            RunLoop[Answer](folder or Store()).run(lambda: checked, work.score, tally=tally)
            scores = [found[answer.id] for answer in checked]
            records = (score.as_dict(work.k) for score in scores)
            report = run_report(records, work, tally, profile=self.profile, n=len(checked), by=by, answers=scores)
        if folder is not None:
            folder.write_report(report)
        return report

    async def ascore(
        self,
        answers: Answers,
        *,
        by: Sequence[str] = (),
        columns: Mapping[str, str] | None = None,
        output_dir: str | Path | None = None,
        overwrite: bool = False,
    ) -> Report:
        """`score` in another thread, so that the event loop is not blocked."""
        return await asyncio.to_thread(
            self.score, answers, by=by, columns=columns, output_dir=output_dir, overwrite=overwrite
        )

    def close(self) -> None:
        """Let go of what the scorer holds; it cannot be used afterwards. Closing twice does nothing.

        What a call in another thread uses is let go of when that call ends.
        """
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, {}
            ours = self._process == os.getpid()
        for pipeline in (each for waiting in idle.values() for each in waiting):
            if ours:
                pipeline.close()

    @contextmanager
    def _lend_pipeline(self, answers: Sequence[Answer]) -> Iterator[Pipeline]:
        """A pipeline for one call: one that waits, else a new one; it waits again if the call went well."""
        has_passages = any(answer.passages is not None for answer in answers)
        has_claims = any(answer.claims is not None for answer in answers)
        misnamed = (name for answer in answers for name in find_misnamed_fields(answer))
        evidence = choose_evidence_source(self.profile, has_passages=has_passages, misnamed=misnamed)
        pipeline = self._take_waiting(evidence)
        if pipeline is None:
            models = RunModels(self.profile.llm, offline=self._offline, share=self._models)
            pipeline = Pipeline(self.profile, has_passages=has_passages, offline=self._offline, models=models)
        pipeline.has_claims = has_claims
        kept = False
        try:
            yield pipeline
            kept = pipeline.recount() and self._keep_waiting(evidence, pipeline)
        finally:
            if not kept:
                pipeline.close()

    def _take_waiting(self, evidence: EvidenceSource) -> Pipeline | None:
        with self._lock:
            if self._process != os.getpid():  # a forked child has no share in its parent's files and connections
                self._process, self._idle = os.getpid(), {}
            waiting = self._idle.get(evidence)
            return waiting.pop() if waiting else None

    def _keep_waiting(self, evidence: EvidenceSource, pipeline: Pipeline) -> bool:
        """Whether *pipeline* waits for another call."""
        with self._lock:
            waiting = self._idle.setdefault(evidence, [])
            if self._closed or self._process != os.getpid() or len(waiting) >= _IDLE:
                return False
            waiting.append(pipeline)
            return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def check_groups(by: Sequence[str], fields: Collection[str]) -> None:
    """Raise `InputError` for a field of *by* that no answer has in `meta` (*fields*)."""
    for name in by:
        if name not in fields:
            raise InputError(
                f"cannot group by {name!r}: no answer has this field; available: {', '.join(sorted(fields)) or 'none'}",
                kind="group",
                field=name,
            )


def run_settings(work: Work, digest: str) -> dict[str, str]:
    """What decides the scores of a run on the input with this *digest*, as `run.json` keeps it."""
    # k names the fields of the records; another version may score otherwise.
    return {"input": digest, "k": str(work.k), **work.settings, "v": __version__}


def run_report(
    records: Iterable[Mapping[str, Any]],
    work: Work,
    tally: RunTally,
    *,
    profile: Profile,
    n: int,
    by: Sequence[str],
    answers: Sequence[AnswerScore] = (),
) -> Report:
    """The report on a finished run over *n* answers with these *records*."""
    columns = collect_columns(records, k=profile.k, by=by)
    return report_of(
        columns,
        profile=profile,
        signature=work.signature(n),
        timing=tally.seconds(),
        notes=[*tally.notes(), *note_records(columns)],
        answers=answers,
    )


def _digest(answers: Sequence[Answer]) -> str:
    found = hashlib.sha256()
    for answer in answers:
        line = json.dumps(asdict(answer), sort_keys=True, default=str)
        found.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return found.hexdigest()

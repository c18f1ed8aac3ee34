"""`fas.Scorer`, `fas.score_answers`, and the run behind `fas score`."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, Self

from fas._version import __version__
from fas.answers.files import (
    BadLine,
    Scan,
    answers_from,
    count_labelled,
    first_mistake,
    read_answers,
    scan,
)
from fas.answers.schema import misnamed
from fas.answers.sources import AnswerSource, as_source
from fas.errors import InputError
from fas.parts import Retriever
from fas.parts.language_models import RunModels
from fas.parts.own import own_evidence, own_parts
from fas.pipeline import CHUNK, Pipeline, chunks, evidence_of
from fas.profile import Profile, load_profile
from fas.records import Answer, AnswerScore, Report
from fas.records.evidence_source import EvidenceSource
from fas.runs.folder import RunFolder, check_inputs
from fas.runs.notes import input_notes, part_notes, record_notes, work_notes
from fas.runs.tally import RunTally, counted
from fas.runs.written import Written
from fas.scores.aggregate import columns_of, report_of

Progress = Callable[[int, Pipeline], None]
# A DataFrame or a Dataset goes by `Any`: neither library is needed for the type.
Answers = str | Path | Iterable[Mapping[str, Any] | Answer] | Any


class Scorer:
    """A profile, checked and loaded once, that scores as often as it is asked.

    Calls share the models and tables of the process and, where the profile names language models, their clients and
    budget; everything that is counted belongs to one call. It may be called from several threads and tasks at once.

    Args:
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: `passages`, `index:DIR`, `entrez`, `opensearch:URL/INDEX`, `snapshot:FILE` or
            `none`, or a source of one's own, an instance or a class; the profile's choice by default, then
            `passages` if any answer of a call carries some.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of `Profile`, e.g. `k=3`, `threshold=0.8`; a part (`claims`, `verify`) by its name, or
            as a class or an instance of one's own.

    Raises:
        ValueError: An impossible setting.

    >>> with Scorer("mini", safety=False) as scorer:
    ...     report = scorer.score([{"prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}])
    >>> report.answers[0].verdicts[0].label
    'supported'
    """

    def __init__(
        self,
        profile: str | Path | Profile = "mini",
        *,
        evidence: str | Retriever | type[Retriever] | None = None,
        offline: bool = False,
        **overrides: Any,
    ) -> None:
        self.profile = load_profile(profile).override(evidence=own_evidence(evidence), **own_parts(overrides))
        self._offline = offline
        self._models = RunModels(self.profile.llm, offline=offline)
        self._closed = False

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
        """
        if self._closed:
            raise ValueError("this Scorer is closed; make a new one")
        checked = answers_from(answers, columns=columns)
        if not checked:
            raise InputError("no answers to score", kind="empty_input")
        _check_by(by, {name for answer in checked for name in answer.meta})
        if output_dir is not None and isinstance(answers, str | Path):
            check_inputs([Path(answers)], Path(output_dir))
        with (
            nullcontext() if output_dir is None else RunFolder(Path(output_dir), fresh=overwrite) as folder,
            _opened(
                self.profile,
                has_passages=any(answer.passages is not None for answer in checked),
                has_claims=any(answer.claims is not None for answer in checked),
                offline=self._offline,
                models=self._models,
            ) as pipeline,
        ):
            # Asking for the signature loads the parts: one that is missing stops the run, not every answer.
            signature = pipeline.signature(len(checked))
            written = None if folder is None else Written(folder, checked, pipeline)
            scores: list[AnswerScore] = []
            for chunk in chunks(checked, CHUNK):
                scores.extend(pipeline.score(chunk))
                if written is not None:
                    written.add(scores[-len(chunk) :])
            table = columns_of((score.as_dict(self.profile.k) for score in scores), k=self.profile.k, by=by)
            report = report_of(
                table,
                profile=self.profile,
                signature=signature,
                timing=pipeline.tally.seconds,
                notes=[
                    *input_notes(
                        Counter(name for answer in checked for name in misnamed(answer)),
                        sum(map(count_labelled, checked)),
                    ),
                    *work_notes(counted(pipeline), self.profile.k, truncated=pipeline.references.truncated),
                    *part_notes(pipeline),
                    *record_notes(table),
                ],
                answers=scores,
            )
            if written is not None:
                written.finish(report)
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
        """`score` in a thread of its own, so that the event loop goes on."""
        return await asyncio.to_thread(
            self.score, answers, by=by, columns=columns, output_dir=output_dir, overwrite=overwrite
        )

    def close(self) -> None:
        """Let go of what the scorer holds; it cannot be used afterwards. Closing twice does nothing."""
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def score_answers(
    answers: Answers,
    *,
    profile: str | Path | Profile = "mini",
    evidence: str | Retriever | type[Retriever] | None = None,
    by: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    output_dir: str | Path | None = None,
    overwrite: bool = False,
    offline: bool = False,
    **overrides: Any,
) -> Report:
    """Score *answers* and keep every answer's verdicts in the report: a `Scorer` used once.

    Args:
        answers: Dicts with the fields of the input format (`prediction` required) or `Answer`s, a pandas DataFrame,
            a `datasets.Dataset` (of a `DatasetDict` one split), or the path of a file.
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: `passages`, `index:DIR`, `entrez`, `snapshot:FILE` or `none`, or a source of one's own, an
            instance or a class; the profile's choice by default, then `passages` if any answer carries some.
        by: Fields of `meta` to group by.
        columns: Field to the column it is read from, e.g. `{"prediction": "response"}`.
        output_dir: A folder that gets what `fas score` writes (`scores.jsonl`, `report.json`, `report.html`), answers
            as they are done. The same call again scores again; results of other answers or settings are refused.
        overwrite: Throw away an earlier run's results in *output_dir*.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of `Profile`, e.g. `k=3`, `threshold=0.8`; a part (`claims`, `verify`) by its name, or
            as a class or an instance of one's own.

    Returns:
        The report; `report.answers` holds one `AnswerScore` per answer, in order.

    Raises:
        ValueError: No answers, a bad field, a field to group by that no answer has, no evidence
            to be had, an impossible setting, or *output_dir* holds another run's results or cannot be written.
        FolderInUse: Another run writes *output_dir*.
    """
    with Scorer(profile, evidence=evidence, offline=offline, **overrides) as scorer:
        return scorer.score(answers, by=by, columns=columns, output_dir=output_dir, overwrite=overwrite)


def score_file(
    source: Path | AnswerSource,
    out: Path,
    *,
    profile: Profile,
    by: Sequence[str] = (),
    on_error: Literal["stop", "record"] = "stop",
    overwrite: bool = False,
    offline: bool = False,
    save_evidence: Path | None = None,
    progress: Progress | None = None,
    started: Callable[[Scan, int], None] | None = None,
    models: RunModels | None = None,
    pinned: str | None = None,
    settled: Collection[str] = (),
) -> Report:
    """Score a file into a folder, streaming; goes on where an interrupted run stopped.

    Args:
        source: The answers: a file, or `fas.answers.sources.AnswerSource`.
        out: The output folder.
        profile: The settings.
        by: Fields of `meta` to group by.
        on_error: `stop` refuses a file with a bad line before anything is loaded; `record`
            writes an error record for it and scores the others.
        overwrite: Throw away an earlier run's results in *out*.
        offline: Refuse evidence that needs the network, and ask language models nothing that is not
            in the cache.
        save_evidence: File to record what every claim got.
        progress: Called after each chunk with the number of answers just done.
        started: Called once with the scan and how many answers were already finished.
        models: The language models of a larger run that this one is a part of, with its budget.
        pinned: What stands for the input in the folder's settings, for a file that grows; its hash by default.
        settled: Identifiers of answers that are not done again, even if something in them is unverified.

    Raises:
        InputError: The file or the folder cannot be used, or something that is read is a file that a
            run writes into *out*.
        FolderInUse: Another run writes the folder.
        RunStopped: No evidence can be fetched at all, a language model does not work at all, or the
            budget is spent; finished answers are kept.
    """
    began = time.perf_counter()
    source = as_source(source)
    _check_apart(source, out, profile, save_evidence)
    found = scan(source)
    if found.bad and on_error == "stop":
        raise first_mistake(found.bad)
    _check_by(by, found.meta)
    evidence = evidence_of(profile, has_passages=found.has_passages)
    profile = profile.override(evidence=evidence) if profile.evidence is None else profile
    with (
        RunFolder(out, fresh=overwrite) as folder,
        _opened(
            profile,
            has_passages=found.has_passages,
            has_claims=found.has_claims,
            offline=offline,
            wrap_retriever=_recorder(save_evidence),
            models=models,
        ) as pipeline,
    ):
        # k names the fields of the records; another version may score otherwise.
        settings = {"input": pinned or found.digest, "k": str(profile.k), **pipeline.settings(), "v": __version__}
        finished = folder.resume(settings, retry_unverified=_can_verify(pipeline))
        kept = folder.unverified.intersection(settled)
        folder.unverified -= kept
        finished |= kept
        if started is not None:
            started(found, len(finished))
        tally = RunTally(pipeline, folder.tally, began=began)
        for again in (False, True) if folder.unverified else (False,):
            # Answers to be done again come by themselves: the tally counted them when they were first done.
            todo = (i for i in read_answers(source) if i.id not in finished and (i.id in folder.unverified) is again)
            for chunk in chunks(todo, CHUNK):
                records = _score_chunk(pipeline, chunk)
                tally.count(again=again)
                if again:
                    folder.redo(records, tally=tally.state())
                else:
                    folder.append(records, tally=tally.state())
                if progress is not None:
                    progress(len(chunk), pipeline)
        folder.settle()
        columns = columns_of(folder.records(), k=profile.k, by=by)
        report = report_of(
            columns,
            profile=profile,
            signature=pipeline.signature(found.n),
            timing=tally.seconds(),
            notes=[*input_notes(found.misnamed, found.n_labelled), *tally.notes(), *record_notes(columns)],
        )
        folder.write_report(report)
    return report


def _check_apart(source: AnswerSource, out: Path, profile: Profile, save_evidence: Path | None) -> None:
    """Refuse what is read, and the snapshot that is written, where they are files of a run in *out*."""
    named = None if profile.evidence is None else EvidenceSource(profile.evidence)
    others = [Path(named.argument)] if named is not None and named.name == "snapshot" and named.argument else []
    check_inputs([*source.files, *others, *([] if save_evidence is None else [save_evidence])], out)


def _can_verify(pipeline: Pipeline) -> bool:
    """Whether claims that are unverified might be verified by trying again."""
    return not pipeline.evidence.is_none or not pipeline.verifier.needs_evidence


def _check_by(by: Sequence[str], fields: Collection[str]) -> None:
    for name in by:
        if name not in fields:
            raise InputError(
                f"cannot group by {name!r}: no answer has this field; there are: {', '.join(sorted(fields)) or 'none'}",
                kind="group",
                field=name,
            )


def _score_chunk(pipeline: Pipeline, chunk: Sequence[Answer | BadLine]) -> list[dict[str, Any]]:
    answers = [item for item in chunk if isinstance(item, Answer)]
    scores = iter(pipeline.score(answers))
    records = []
    for item in chunk:
        score = _error_score(item) if isinstance(item, BadLine) else next(scores)
        records.append(score.as_dict(pipeline.profile.k))
    return records


def _error_score(item: BadLine) -> AnswerScore:
    return AnswerScore(Answer(item.id, ""), error=item.as_error())


def _recorder(save_evidence: Path | None) -> Any:
    if save_evidence is None:
        return None
    from fas.evidence.snapshot import EvidenceRecorder

    return lambda retriever: EvidenceRecorder(retriever, save_evidence)


@contextmanager
def _opened(profile: Profile, **options: Any) -> Iterator[Pipeline]:
    """A pipeline whose source of evidence is closed at the end, however the run ends."""
    pipeline = Pipeline(profile, **options)
    try:
        yield pipeline
    finally:
        close = getattr(pipeline.retriever, "close", None)
        if close is not None:
            close()

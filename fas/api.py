"""`fas.score_answers`, also called `fas.score`, and the run behind `fas score`."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fas.core.answers.files import BadLine, Scan, first_mistake, read_answers, scan
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import suggest_arguments
from fas.core.errors import RunStopped
from fas.core.files.own import CONTROLS, REPORT
from fas.core.loading import track_loading
from fas.core.parts import Retriever
from fas.core.profile import Profile
from fas.core.records import Answer, Report
from fas.core.records.evidence_source import EvidenceSource
from fas.core.records.signature import Signature
from fas.llm.parts import RunModels
from fas.pipeline import Pipeline, choose_evidence_source
from fas.pipeline.runs.controls import FEWEST_ANSWERS, ControlSample, Make, compare_with_usual, judge_controls
from fas.pipeline.runs.folder import RunFolder, check_inputs
from fas.pipeline.runs.loop import RunLoop
from fas.pipeline.runs.notes import note_input
from fas.pipeline.runs.scorer import Answers, Scorer, check_groups, run_report, run_settings
from fas.pipeline.runs.settings import note_sources
from fas.pipeline.runs.shards import Shard
from fas.pipeline.runs.tally import RunTally
from fas.pipeline.runs.work import LocalWorker, Work
from fas.results import read_records
from fas.results.report import read_report

Progress = Callable[[int, Work], None]
# Makes the workers of a run: called with the profile, `has_passages`, `has_claims` and `offline`.
Workers = Callable[..., AbstractContextManager[Work]]


@suggest_arguments
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
        evidence: `passages`, `index:DIR`, `entrez`, `snapshot:FILE` or `none`, or your own source, an
            instance or a class; the profile's choice by default, then `passages` if any answer carries some.
        by: Fields of `meta` to group by.
        columns: Field to the column it is read from, e.g. `{"prediction": "response"}`.
        output_dir: A folder that gets what `fas score` writes (`scores.jsonl`, `report.json`, `report.html`), answers
            as they are done. The same call again scores again; results of other answers or settings are refused.
        overwrite: Throw away an earlier run's results in *output_dir*.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of `Profile`, e.g. `k=3`, `threshold=0.8`; a part (`claims`, `verify`) by its name, or
            as your own class or instance.

    Returns:
        The report; `report.answers` holds one `AnswerScore` per answer, in order.

    Raises:
        ValueError: No answers, a bad field, a field to group by that no answer has, no evidence
            to be had, an impossible setting, or *output_dir* holds another run's results or cannot be written.
        FolderInUse: Another run writes *output_dir*.

    Examples:
        >>> report = score_answers([{"prediction": "Aspirin relieves pain.", "passages": ["Aspirin relieved pain."]}])
        >>> report.answers[0].verdicts[0].label
        'supported'
    """
    with Scorer(profile, evidence=evidence, offline=offline, **overrides) as scorer:
        return scorer.score(answers, by=by, columns=columns, output_dir=output_dir, overwrite=overwrite)


score = suggest_arguments(score_answers.__wrapped__, "score")  # type: ignore[attr-defined]  # what messages name


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
    workers: Workers | None = None,
    shard: Shard | None = None,
    controls: Make | None = None,
) -> Report:
    """Score a file into a folder, streaming; a run that was interrupted continues.

    Args:
        source: The answers: a file, or `fas.core.answers.sources.AnswerSource`.
        out: The output folder.
        profile: The settings.
        by: Fields of `meta` to group by.
        on_error: `stop` refuses a file with a bad line before anything is loaded; `record` writes an error record for
            it and scores the others.
        overwrite: Throw away an earlier run's results in *out*.
        offline: Refuse evidence that needs the network, and ask language models only for cached replies.
        save_evidence: File to save the passages of every claim.
        progress: Called after each chunk with the number of answers just done.
        started: Called once with the scan and the number of answers that were already finished.
        models: The language models of a larger run that includes this one, with its budget.
        pinned: Identifies the input in the folder's settings, for a file that grows; its hash by default.
        settled: Identifiers of answers that are not done again, even if something in them is unverified.
        workers: Makes the workers, e.g. `functools.partial(fas.pipeline.runs.processes.Processes, jobs=8)`; by default
            this process works alone.
        shard: Only this part of the answers.
        controls: Makes the run's controls (`fas.bench.controls.make_panel`); None for none. A run over fewer than
            `FEWEST_ANSWERS`, or by several processes, has none. A resumed run makes them of the remaining answers, and
            keeps those it has where none remain.

    Raises:
        InputError: The file or the folder cannot be used, or a run in *out* would overwrite an input.
        FolderInUse: Another run writes the folder.
        RunStopped: No evidence can be fetched at all, a language model does not work at all, or the budget is spent;
            finished answers are kept.
    """
    began = time.perf_counter()
    source = as_source(source)
    _check_apart(source, out, profile, save_evidence)
    found = scan(source)
    if found.bad and on_error == "stop":
        raise first_mistake(found.bad)
    check_groups(by, found.meta)
    evidence = choose_evidence_source(profile, has_passages=found.has_passages, misnamed=found.misnamed)
    profile = profile.override(evidence=evidence) if profile.evidence is None else profile
    given = note_input(found.misnamed, found.n_labelled, found.n_reasoning, found.recognised)
    opening: dict[str, Any] = {
        "has_passages": found.has_passages, "has_claims": found.has_claims, "offline": offline
    }  # fmt: skip
    with (
        RunFolder(out, fresh=overwrite) as folder,
        _open_workers(workers, profile, opening, save_evidence=save_evidence, models=models) as work,
    ):
        settings = run_settings(work, pinned or found.digest)
        if shard is not None:
            settings |= shard.settings(found.n)
        finished = folder.resume(
            settings,
            retry_unverified=work.can_verify,
            settled=settled,
            notes=note_sources(profile, EvidenceSource(evidence), source, found.digest),
        )
        n = found.n if shard is None else shard.size(found.n)
        if started is not None:
            started(replace(found, n=n), len(finished))
        sample = _sample_controls(work, n) if controls is not None else None
        tally = RunTally(work, folder.tally, began=began, given=given)
        if not n:
            folder.append([], tally=tally.state())  # a shard without answers is finished, too
        loop = RunLoop[Answer | BadLine](folder, progress=progress and (lambda n: progress(n, work)))
        loop.run(
            lambda: read_answers(source) if shard is None else shard.of(read_answers(source)), work.score, tally=tally
        )
        with track_loading("drawing intervals and writing the report"):
            stored = (record for _, record in read_records(folder.scores))
            report = run_report(stored, work, tally, profile=profile, n=n, by=by)
            if sample is not None and controls is not None:
                report = _add_controls(report, work, sample, controls, out)
            folder.write_report(report)
    return report


def _sample_controls(work: Work, n: int) -> ControlSample | None:
    """The sample of the run's passages and claims for its controls; None where it has no controls."""
    if not isinstance(work, LocalWorker) or n < FEWEST_ANSWERS or not work.pipeline.verifier.needs_evidence:
        return None
    sample = ControlSample()
    work.pipeline.watch = sample.take
    return sample


def _add_controls(report: Report, work: Work, sample: ControlSample, make: Make, out: Path) -> Report:
    """*report* with the rates of the run's controls, in its signature and notes, too."""
    if not sample.passages or not isinstance(work, LocalWorker):
        return _keep_controls(report, out)
    try:
        found = judge_controls(work.pipeline, sample, make)
    except RunStopped as stopped:
        return replace(report, notes=(*report.notes, f"controls were not judged: {stopped}"))
    if found is None:
        return report
    found.write(out)
    signature = Signature.of(report.signature).with_field("controls", found.signature)
    notes = compare_with_usual(found.rates, work.settings["verify"])
    return replace(report, controls=found.rates, signature=signature, notes=(*report.notes, *notes))


def _keep_controls(report: Report, out: Path) -> Report:
    """*report* with the controls that an earlier report in *out* has; without them if there is none."""
    if not (out / CONTROLS).is_file() or not (out / REPORT).is_file():
        return report
    earlier = read_report(out)
    signed = Signature.of(earlier.signature).fields.get("controls")
    signature = Signature.of(report.signature).with_field("controls", signed) if signed else report.signature
    return replace(report, controls=earlier.controls, signature=signature)


def _check_apart(source: AnswerSource, out: Path, profile: Profile, save_evidence: Path | None) -> None:
    """Refuse to read files, and to write a snapshot, where a run in *out* writes its own."""
    named = None if profile.evidence is None else EvidenceSource(profile.evidence)
    others = [Path(named.argument)] if named is not None and named.name == "snapshot" and named.argument else []
    check_inputs([*source.files, *others, *([] if save_evidence is None else [save_evidence])], out)


def _make_recorder(save_evidence: Path | None) -> Any:
    if save_evidence is None:
        return None
    from fas.evidence.snapshot import EvidenceRecorder

    return lambda retriever: EvidenceRecorder(retriever, save_evidence)


@contextmanager
def _open_workers(
    workers: Workers | None,
    profile: Profile,
    opening: Mapping[str, Any],
    *,
    save_evidence: Path | None,
    models: RunModels | None,
) -> Iterator[Work]:
    """The workers of a run, or this process."""
    if workers is None:
        with closing(
            Pipeline(profile, wrap_retriever=_make_recorder(save_evidence), models=models, **opening)
        ) as pipeline:
            yield LocalWorker(pipeline)
        return
    if save_evidence is not None:
        raise ValueError("a snapshot of the evidence is written by one process: leave --save-evidence or --engine out")
    if models is not None:
        raise ValueError("the language models of a larger run are used by one process")
    with workers(profile, **opening) as work:
        yield work

"""`fas detect` and `fas.detect_answers`: answers in, findings out; a folder for each run, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fas._version import __version__
from fas.core.answers.files import BadLine, Scan, answers_from, first_mistake, read_answers, scan
from fas.core.answers.sources import AnswerSource, as_source
from fas.core.arguments import suggest_arguments
from fas.core.checks import whole_number
from fas.core.errors import InputError, ProfileError
from fas.core.files.own import FINDINGS, REPORT, SCORES, another_folder, check_no_input, exists_any, write_json
from fas.core.parts import Detector, Retriever, detectors, list_option_names, retrievers
from fas.core.parts.own import register_own_evidence, register_own_parts
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Answer
from fas.core.records.evidence_source import EvidenceSource
from fas.core.records.signature import Signature
from fas.core.records.stored import Harm
from fas.detectors.claims import ClaimsDetector
from fas.detectors.member import RUNS, member_records
from fas.detectors.records import Findings, count_findings, filter_by_harm, findings_from
from fas.llm.dryrun import DryRun
from fas.llm.parts import RunModels
from fas.pipeline import CHUNK, choose_evidence, split_into_chunks
from fas.pipeline.runs.dry_run import TypicalRetriever
from fas.pipeline.runs.folder import RunFolder
from fas.pipeline.runs.loop import RunLoop, run_each_alone
from fas.pipeline.runs.notes import note_input
from fas.results import read_findings, read_settings


def detect_file(
    source: Path | AnswerSource,
    out: Path,
    *,
    profile: Profile,
    runs: int | None = None,
    on_error: Literal["stop", "record"] = "stop",
    overwrite: bool = False,
    offline: bool = False,
    min_harm: Harm | None = None,
    started: Callable[[Scan, int], None] | None = None,
    progress: Callable[[int, None], None] | None = None,
) -> list[dict[str, Any]]:
    """Write the findings on a file of answers, streaming; the same call resumes, and tries failed answers again.

    Args:
        source: The answers.
        out: The folder of the findings; with *runs* the folder of their folders, `run-0` and so on.
        profile: The settings; names the detector.
        runs: Draws, each of them a member of its own; None for a single run without drawing.
        on_error: `stop` refuses a file with a bad line; `record` writes a failure for it.
        overwrite: Discard earlier results.
        offline: Use the cache alone.
        min_harm: Leave out findings below this level of harm.
        started: As for `fas.api.score_file`, for every run.
        progress: As for `fas.api.score_file`; its second argument is None.

    Returns:
        The reports of the runs.

    Raises:
        InputError: The file or a folder cannot be used.
        ProfileError: The profile lacks a detector, or what the detector needs.
        FolderInUse: Another run writes the folder.
        RunStopped: No evidence or model at all, or the budget is spent; finished answers are kept.
    """
    spec = _read_spec(profile)
    if runs is not None:
        whole_number("runs", runs)
    source = as_source(source)
    found = scan(source)
    if found.bad and on_error == "stop":
        raise first_mistake(found.bad)
    folders = [out] if runs is None else [out / f"run-{number}" for number in range(runs)]
    for folder in folders:
        check_no_input(source.files, (*RunFolder(folder, name=FINDINGS).files(), folder / ".lock"))
    if runs is not None:
        _note_runs(out, runs)
    models = RunModels(profile.llm, offline=offline)
    reports = []
    for number, folder in enumerate(folders):
        draw = None if runs is None else number
        with _make_detector(profile, spec, models, has_passages=found.has_passages, offline=offline, draw=draw) as part:
            report = _run(
                part,
                folder,
                found.digest,
                lambda: read_answers(source),
                min_harm=min_harm,
                fresh=overwrite,
                seconds=_limit_seconds(part, profile),
                started=None if started is None else lambda finished: started(found, finished),
                progress=None if progress is None else lambda n: progress(n, None),
                notes=note_input({}, 0, found.n_reasoning),
                models=models,
            )
        reports.append(report)
    return reports


def detect_folder(
    source: Path, out: Path, *, flags: bool = False, explain: bool = False, min_harm: Harm | None = None
) -> dict[str, Any]:
    """Write the false claims (or safety flags) of a scored folder as findings; calls no model.

    Raises:
        InputError: The folder holds no scores, or *out* holds something else.
    """
    if not (source / SCORES).is_file():
        raise InputError(
            f"{source}: the folder has no {SCORES}; `fas score FILE -o DIR` writes one", kind="missing_file"
        )
    check_no_input([source / SCORES], RunFolder(out, name=FINDINGS).files())
    part = ClaimsDetector(folder=source, flags=flags, explain=explain)

    def answers() -> Iterator[Answer]:
        for record in member_records(source):
            yield Answer(record["id"], record["prediction"] or "", record["question"], meta=record["meta"])

    return _run(part, out, str(read_settings(source).get("input", "")), answers, min_harm=min_harm, fresh=True)


@suggest_arguments
def detect_answers(
    answers: Any,
    *,
    detect: str | PartSpec | Detector | type[Detector] | None = None,
    profile: str | Path | Profile = "judge",
    evidence: str | Retriever | type[Retriever] | None = None,
    columns: Mapping[str, str] | None = None,
    min_harm: Harm | None = None,
    offline: bool = False,
    **overrides: Any,
) -> list[Findings]:
    """The findings of a detector: one `Findings` for each of *answers*, in order. Nothing is written.

    Args:
        answers: As for `fas.score_answers`.
        detect: A detector: its name, or a class or an instance of your own; the profile's by default.
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: For detectors that read passages; as for `fas.score_answers`.
        columns: Field to its column.
        min_harm: Leave out findings below this level of harm.
        offline: Use the cache alone.
        **overrides: Settings of `Profile`.

    Raises:
        ValueError: No answers, a bad field, no detector, or the detector lacks what it needs.
        RunStopped: No evidence or model at all, or the budget is spent.
    """
    checked: Sequence[Answer] = answers_from(answers, columns=columns)
    if not checked:
        raise InputError("no answers to look at", kind="empty_input")
    settings = load_profile(profile).override(
        evidence=register_own_evidence(evidence),
        **register_own_parts({**overrides, **({} if detect is None else {"detect": detect})}),
    )
    has_passages = any(answer.passages is not None for answer in checked)
    models = RunModels(settings.llm, offline=offline)
    with _make_detector(settings, _read_spec(settings), models, has_passages=has_passages, offline=offline) as part:
        found = run_each_alone(part.detect, lambda _, line: line, _fail, seconds=_limit_seconds(part, settings))
        lines = [line for some in split_into_chunks(checked, CHUNK) for line in found(some)]
    return [replace(line, findings=filter_by_harm(line.findings, min_harm)) for line in lines]


def estimate_detection(
    source: Path | AnswerSource, profile: Profile, *, runs: int | None = None, offline: bool = False
) -> DryRun:
    """The requests that `detect_file` would send, for `agents` the most; nothing is sent.

    Raises:
        InputError: The file cannot be used.
        ProfileError: The profile lacks a detector, or what the detector needs.
    """
    spec = _read_spec(profile)
    source = as_source(source)
    has_passages = scan(source).has_passages
    recorder = DryRun(getattr(detectors.factory(spec.name), "made_up", None))
    models = RunModels(profile.llm, offline=offline)
    for number in range(runs or 1):
        options: dict[str, Any] = {"offline": offline, "draw": None if runs is None else number, "dry_run": recorder}
        with _make_detector(profile, spec, models, has_passages=has_passages, **options) as part:
            for chunk in split_into_chunks(read_answers(source), CHUNK):
                part.detect([item for item in chunk if isinstance(item, Answer)])
    return recorder


def _run(
    part: Detector,
    out: Path,
    digest: str,
    answers: Callable[[], Iterator[Answer | BadLine]],
    *,
    min_harm: Harm | None,
    fresh: bool,
    seconds: float = 0,
    started: Callable[[int], None] | None = None,
    progress: Callable[[int], None] | None = None,
    notes: Sequence[str] = (),
    models: RunModels | None = None,
) -> dict[str, Any]:
    """Finish one run over all answers, then write its report and its page."""
    from fas.detectors.detection import write_page

    settings = {"input": digest, "detect": part.signature, "v": __version__}
    if min_harm is not None:
        settings["min_harm"] = min_harm

    def record(item: Answer | BadLine, line: Findings) -> dict[str, Any]:
        own: dict[str, Any] = {"question": None, "prediction": None, "meta": {}}
        if isinstance(item, Answer):
            own = {"question": item.question, "prediction": item.prediction, "meta": dict(item.meta)}
        return {**replace(line, findings=filter_by_harm(line.findings, min_harm)).as_dict(), **own}

    with RunFolder(out, fresh=fresh, name=FINDINGS, again=lambda record: record["failure"] is not None) as folder:
        finished = folder.resume(settings)
        if started is not None:
            started(len(finished))
        detected = run_each_alone(
            part.detect, record, lambda *failed: record(failed[0], _fail(*failed)), seconds=seconds
        )
        RunLoop[Answer | BadLine](folder, progress=progress).run(answers, lambda chunks: map(detected, chunks))
        report = _report(folder, settings)
        report["notes"] = [*notes, *report["notes"], *(models.notes() if models else ())]
        write_json(out / REPORT, report)
        write_page(out)
    return report


def _report(folder: RunFolder, settings: Mapping[str, str]) -> dict[str, Any]:
    counts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for _, record in read_findings(folder.scores) if folder.scores.exists() else ():
        line = findings_from(record)
        counts.update(count_findings([line]))
        reasons.update(reason.partition(": ")[2] for reason in line.left_out)
    signature = Signature({"n": str(counts["n"]), "detect": settings["detect"], "v": settings["v"]})
    notes = [f"{n} findings were omitted: {reason}" for reason, n in reasons.items()]
    if n := counts["n_failed"]:
        whose, them = ("answer has", "it") if n == 1 else ("answers have", "them")
        notes.append(f"{n} {whose} no result; the same command tries {them} again")
    return {"signature": str(signature), **counts, "notes": notes}


def _limit_seconds(part: Detector, profile: Profile) -> float:
    """The time limit of an answer; 0 (none) but for a detector that works on the text alone."""
    return profile.text_timeout if getattr(part, "text_alone", False) else 0


def _fail(item: Answer | BadLine, error: Exception) -> Findings:
    return Findings(item.id, failure=str(error) if isinstance(item, BadLine) else f"{type(error).__name__}: {error}")


def _read_spec(profile: Profile) -> PartSpec:
    """The detector that the profile names."""
    if profile.detect is None:
        raise ProfileError(
            f"profile {profile.name!r} names no detector: use --profile judge, grounded or agents, or --detector NAME "
            f"(available: {', '.join(detectors.names())})"
        )
    if profile.detect.name == "claims" and "folder" not in profile.detect.options:
        raise ProfileError(
            "detector 'claims' reads a scored folder: give the folder of `fas score` in place of the file"
        )
    return profile.detect


@contextmanager
def _make_detector(
    profile: Profile,
    spec: PartSpec,
    models: RunModels,
    *,
    has_passages: bool,
    offline: bool,
    draw: int | None = None,
    dry_run: DryRun | None = None,
) -> Iterator[Detector]:
    """The detector with its source of passages, which is closed at the end."""
    accepted = list_option_names(detectors.factory(spec.name)) or ()
    extra: dict[str, Any] = {}
    retriever: Retriever | None = None
    if "retriever" in accepted:
        if profile.evidence is not None or has_passages or spec.name == "grounded":
            source = choose_evidence(profile.evidence, has_passages=has_passages)
            if offline and source.needs_network:
                raise ProfileError(f"evidence '{source.name}' needs the network, but --offline was given")
            options = {"argument": source.argument, "k": profile.k, **profile.evidence_options}
            retriever = retrievers.create(source.name, **options)
            if dry_run is not None and source.searches:
                retriever = TypicalRetriever(retriever, profile.k)
        extra["retriever"] = retriever
    elif not EvidenceSource(profile.evidence or "none").is_none:
        raise ProfileError(
            f"detector {spec.name!r} reads no passages, but evidence {profile.evidence!r} was named; use --evidence "
            "none, or a detector that reads them (grounded, agents)"
        )
    if draw is not None:
        if "draw" not in accepted:
            raise ProfileError(f"detector {spec.name!r} makes no draws: leave out --runs")
        extra["draw"] = draw
    try:
        yield models.create(detectors, spec, dry_run=dry_run, **extra)
    finally:
        close = getattr(retriever, "close", None)
        if close is not None:
            close()


def _note_runs(out: Path, runs: int) -> None:
    """Write how many runs the folder has: a lower number than before uses the first ones."""
    state = out / RUNS
    if exists_any([state]) is None and exists_any([out / FINDINGS, out / SCORES]) is not None:
        raise InputError(f"{out}: already holds a run; {another_folder()} for --runs", kind="other_run")
    out.mkdir(parents=True, exist_ok=True)
    write_json(state, {"made_by": "fas", "runs": runs})

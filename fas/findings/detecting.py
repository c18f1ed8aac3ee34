"""`fas detect`: answers in, a folder of findings out; resumable, one folder a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from fas._version import __version__
from fas.answers.files import BadLine, Scan, first_mistake, read_answers, scan
from fas.answers.sources import AnswerSource, as_source
from fas.checks import whole_number
from fas.errors import InputError, ProfileError
from fas.files.own import check_no_input, replacing, there
from fas.findings.claims import ClaimsDetector
from fas.findings.folder import counts_of, own_fields
from fas.findings.member import FINDINGS, RUNS, SCORES, member_records, settings_of
from fas.findings.records import Findings, Harm, at_least, findings_from
from fas.llm.dryrun import DryRun
from fas.parts import Detector, Retriever, detectors, option_names, retrievers
from fas.parts.language_models import RunModels
from fas.pipeline import CHUNK, choose_evidence, chunks
from fas.profile import PartSpec, Profile
from fas.records import Answer
from fas.records.evidence_source import EvidenceSource
from fas.records.signature import Signature
from fas.runs.folder import RunFolder
from fas.runs.notes import input_notes
from fas.verdicts.one_by_one import contained

Progress = Callable[[int], None]


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
    started: Callable[[int, int], None] | None = None,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """Findings on a file of answers, streaming; goes on where an interrupted run stopped.

    An answer without an opinion (a dead server, a reply that cannot be read) is tried again by the same call.

    Args:
        source: The answers.
        out: The folder of the findings; with *runs* the folder of their folders, `run-0` and so on.
        profile: The settings; names the detector.
        runs: So many draws, each a member of its own; None for a single run without drawing.
        on_error: `stop` refuses a file with a bad line; `record` writes a failure for it.
        overwrite: Throw away earlier results.
        offline: Ask for nothing that is not in the cache.
        min_harm: Leave out findings below this level of harm.
        started: Called for each run with the number of answers and how many are finished.
        progress: Called after each chunk with how many answers were done.

    Returns:
        The reports of the runs.

    Raises:
        InputError: The file or a folder cannot be used.
        ProfileError: The profile names no detector, or not what the detector needs.
        FolderInUse: Another run writes the folder.
        RunStopped: No evidence or no model at all, or the budget is spent; finished answers are kept.
    """
    spec = _spec(profile)
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
        with _detector(profile, spec, found, models, offline=offline, draw=None if runs is None else number) as part:
            work = _Work(part, found.n, started, progress, min_harm, _seconds(part, profile))
            work.told = input_notes({}, 0, found.n_reasoning)
            settings = {"input": found.digest, "detect": part.signature, "v": __version__}
            if min_harm is not None:
                settings["min_harm"] = min_harm
            reports.append(work.run(folder, settings, lambda: read_answers(source), models, fresh=overwrite))
    return reports


def detect_folder(
    source: Path, out: Path, *, flags: bool = False, explain: bool = False, min_harm: Harm | None = None
) -> dict[str, Any]:
    """The false claims (or safety flags) of a scored folder, written out as findings; no model is asked.

    Raises:
        InputError: The folder holds no scores, or *out* holds something else.
    """
    if not (source / SCORES).is_file():
        raise InputError(
            f"{source}: the folder has no {SCORES}; `fas score FILE -o DIR` writes one", kind="missing_file"
        )
    check_no_input([source / SCORES], RunFolder(out, name=FINDINGS).files())
    part = ClaimsDetector(folder=source, flags=flags, explain=explain)
    settings = {"input": str(settings_of(source).get("input", "")), "detect": part.signature, "v": __version__}
    if min_harm is not None:
        settings["min_harm"] = min_harm

    def answers() -> Iterator[Answer]:
        for _, record in member_records(source):
            yield Answer(
                str(record["id"]),
                record.get("prediction") or "",
                record.get("question"),
                meta=record.get("meta") or {},
            )

    n = sum(1 for _ in member_records(source))
    return _Work(part, n, None, None, min_harm).run(out, settings, answers, None, fresh=True)


def detect(
    answers: Sequence[Answer],
    *,
    profile: Profile,
    draw: int | None = None,
    offline: bool = False,
    min_harm: Harm | None = None,
) -> list[Findings]:
    """Findings on answers, one line each, in order; nothing is written. See `detect_file`.

    Raises:
        ProfileError: The profile names no detector, or not what it needs.
        RunStopped: No evidence or no model at all, or the budget is spent.
    """
    has_passages = any(answer.passages is not None for answer in answers)
    seen = Scan(len(answers), has_passages, False, frozenset(), (), "", {})
    models = RunModels(profile.llm, offline=offline)
    with _detector(profile, _spec(profile), seen, models, offline=offline, draw=draw) as part:
        seconds = _seconds(part, profile)
        return [_kept(line, min_harm) for some in chunks(answers, CHUNK) for line in _lines(part, some, seconds)]


def estimate_detection(
    source: Path | AnswerSource, profile: Profile, *, runs: int | None = None, offline: bool = False
) -> DryRun:
    """What `detect_file` would ask; nothing is sent. Of `agents` the most messages are counted.

    Raises:
        InputError: The file cannot be used.
        ProfileError: The profile names no detector, or not what it needs.
    """
    from fas.runs.dry_run import typical_retriever

    spec = _spec(profile)
    source = as_source(source)
    found = scan(source)
    recorder = DryRun(getattr(detectors.factory(spec.name), "made_up", None))
    models = RunModels(profile.llm, offline=offline)
    for number in range(runs or 1):
        draw = None if runs is None else number
        with _detector(
            profile, spec, found, models, offline=offline, draw=draw, dry_run=recorder, wrap=typical_retriever
        ) as part:
            for chunk in chunks(read_answers(source), CHUNK):
                part.detect([item for item in chunk if isinstance(item, Answer)])
    return recorder


class _Work:
    """One run over all answers."""

    def __init__(
        self,
        part: Detector,
        n: int,
        started: Callable[[int, int], None] | None,
        progress: Progress | None,
        min_harm: Harm | None,
        seconds: float = 0,
    ) -> None:
        self._part, self._n, self._started, self._progress = part, n, started, progress
        self._min_harm, self._seconds = min_harm, seconds
        self.told: list[str] = []

    def run(
        self,
        out: Path,
        settings: Mapping[str, str],
        answers: Callable[[], Iterator[Answer | BadLine]],
        models: RunModels | None,
        *,
        fresh: bool,
    ) -> dict[str, Any]:
        """Do what is not finished, then write the report and the page."""
        from fas.findings.detection import write_page

        with RunFolder(out, fresh=fresh, name=FINDINGS, again=lambda record: record["failure"] is not None) as folder:
            finished = folder.resume(settings)
            if self._started is not None:
                self._started(self._n, len(finished))
            for again in (False, True) if folder.unverified else (False,):
                todo = (a for a in answers() if a.id not in finished and (a.id in folder.unverified) is again)
                for chunk in chunks(todo, CHUNK):
                    records = self._records(chunk)
                    if again:
                        folder.redo(records)
                    else:
                        folder.append(records)
                    if self._progress is not None:
                        self._progress(len(chunk))
            folder.settle()
            report = self._report(folder, settings, models.notes() if models else [])
            with replacing(out / "report.json") as file:
                file.write(json.dumps(report, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
            write_page(out)
        return report

    def _records(self, chunk: Sequence[Answer | BadLine]) -> list[dict[str, Any]]:
        good = [item for item in chunk if isinstance(item, Answer)]
        lines = iter(_lines(self._part, good, self._seconds))
        records = []
        for item in chunk:
            if isinstance(item, BadLine):
                line = Findings(item.id, failure=str(item.error))
                own: dict[str, Any] = {"question": None, "prediction": None, "meta": {}}
            else:
                line = _kept(next(lines), self._min_harm)
                own = {"question": item.question, "prediction": item.prediction, "meta": dict(item.meta)}
            records.append({**line.as_dict(), **own_fields(own)})
        return records

    def _report(self, folder: RunFolder, settings: Mapping[str, str], notes: Sequence[str]) -> dict[str, Any]:
        counts: dict[str, int] = {}
        reasons: dict[str, int] = {}
        for record in folder.records():
            line = findings_from(record)
            for name, value in counts_of([line]).items():
                counts[name] = counts.get(name, 0) + value
            for reason in line.left_out:
                key = reason.partition(": ")[2]
                reasons[key] = reasons.get(key, 0) + 1
        signature = Signature({"n": str(counts.get("n", 0)), "detect": settings["detect"], "v": settings["v"]})
        told = [f"{n} findings were left out: {reason}" for reason, n in reasons.items()]
        if counts.get("n_failed"):
            n = counts["n_failed"]
            told.append(
                "1 answer has no result; the same command tries it again"
                if n == 1
                else f"{n} answers have no result; the same command tries them again"
            )
        return {"signature": str(signature), **counts, "notes": [*self.told, *told, *notes]}


def _seconds(part: Detector, profile: Profile) -> float:
    """What one answer may take; no end but for a part that says it works on the text alone."""
    return profile.text_timeout if getattr(part, "text_alone", False) else 0


def _lines(part: Detector, answers: Sequence[Answer], seconds: float) -> list[Findings]:
    """One line an answer; what one answer ruins stays with it."""
    outcomes = contained(part.detect, answers, seconds=seconds)
    return [
        Findings(answer.id, failure=f"{type(one).__name__}: {one}") if isinstance(one, Exception) else one
        for answer, one in zip(answers, outcomes, strict=True)
    ]


def _kept(line: Findings, least: Harm | None) -> Findings:
    return replace(line, findings=at_least(line.findings, least))


def _spec(profile: Profile) -> PartSpec:
    if profile.detect is None:
        raise ProfileError(
            f"profile {profile.name!r} names no detector: use --profile judge, grounded or agents, or --detector NAME "
            f"(there are {', '.join(detectors.names())})"
        )
    if profile.detect.name == "claims" and "folder" not in profile.detect.options:
        raise ProfileError(
            "detector 'claims' reads a scored folder: give the folder of `fas score` in place of the file"
        )
    return profile.detect


@contextmanager
def _detector(
    profile: Profile,
    spec: PartSpec,
    found: Scan,
    models: RunModels,
    *,
    offline: bool,
    draw: int | None,
    dry_run: DryRun | None = None,
    wrap: Callable[[Retriever, int], Retriever] | None = None,
) -> Iterator[Detector]:
    """The detector with its source of passages, which is closed at the end."""
    accepted = option_names(detectors.factory(spec.name)) or ()
    extra: dict[str, Any] = {}
    retriever: Retriever | None = None
    if "retriever" not in accepted and not EvidenceSource(profile.evidence or "none").is_none:
        raise ProfileError(
            f"detector {spec.name!r} reads no passages, but evidence {profile.evidence!r} was named; use --evidence "
            "none, or a detector that reads them (grounded, agents)"
        )
    if "retriever" in accepted:
        retriever = _retriever(profile, found, offline=offline, optional=spec.name != "grounded")
        if wrap is not None and retriever is not None and EvidenceSource(profile.evidence or "passages").searches:
            retriever = wrap(retriever, profile.k)
        extra["retriever"] = retriever
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


def _retriever(profile: Profile, found: Scan, *, offline: bool, optional: bool) -> Retriever | None:
    if profile.evidence is None and not found.has_passages and optional:
        return None
    source = choose_evidence(profile.evidence, has_passages=found.has_passages)
    if offline and source.needs_network:
        raise ProfileError(f"evidence '{source.name}' needs the network, but --offline was given")
    return retrievers.create(source.name, argument=source.argument, k=profile.k, **profile.evidence_options)


def _note_runs(out: Path, runs: int) -> None:
    """How many runs the folder has: a lower number than before uses the first ones."""
    state = out / RUNS
    if there([state]) is None and there([out / FINDINGS, out / SCORES]) is not None:
        raise InputError(f"{out}: holds a run of its own; give another folder with -o for --runs", kind="other_run")
    out.mkdir(parents=True, exist_ok=True)
    with replacing(state) as file:
        file.write(json.dumps({"made_by": "fas", "runs": runs}) + "\n")

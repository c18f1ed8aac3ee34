"""The score with one part taken out: as runs of their own, and as a table.

    no-retrieval   the question alone is the evidence
    general-nli    another NLI checkpoint, one trained without biomedical pairs
    corpora        each corpus of `index:NAME=DIR,...` is searched alone (MedScore's appendix A.8)
    one-abstract   only the best passage of a claim counts

All but the last are scored into `ablations/NAME/` in the run's folder (`ablations/corpus-NAME/` for a corpus), from the
same answers and, where nothing else is said, from the evidence that the run names. The last needs no model: the
passages are stored best first, so it is decided anew from the stored probabilities.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from fas.bench.formats import NO_ESTIMATE, NONE, Cell, ResultTable, TableColumn, estimate_of, parse_columns
from fas.bench.gold_tables import list_golds, metric_title
from fas.bench.stored import StoredRun, find_runs, name_of, read_runs, rescore_run
from fas.core.errors import InputError
from fas.core.files.own import SCORES
from fas.core.files.plain import json_lines
from fas.core.profile import PartSpec, Profile
from fas.core.records.evidence_source import EvidenceSource
from fas.evidence.corpora import parse_folders
from fas.pipeline.runs.settings import check_made_with, read_evidence_source
from fas.results import read_settings
from fas.scoring.rescoring import judged_together
from fas.stats.correlation import correlation, correlation_difference
from fas.stats.paired import paired_differences

Ablation = Literal["no-retrieval", "general-nli", "corpora"]
CORPUS = "corpus-"
"""Prefix of the folder of a run over one corpus."""
_TITLES = {"no-retrieval": "without retrieval (the question is the evidence)", "general-nli": "general NLI"}
_SCORING = ("claims", "k", "verify", "ref", "bertscore", "prec", "w", "coverage")
"""Settings that a run and its ablations share."""


def run_ablations(
    folder: Path,
    profile: Profile,
    *,
    which: Sequence[Ablation] = ("no-retrieval",),
    general_nli: str | None = None,
    offline: bool = True,
) -> list[Path]:
    """Score the answers of a run once for each ablation; resumes an interrupted run. The result folders written.

    *folder*: a result folder with its `answers.jsonl`, or one that holds several (one a model, as `fas bench` writes
    them); the ablations go to `folder/ablations/NAME`. *profile*: the settings of the full run; its evidence may be
    left to the run. *general_nli*: checkpoint of `general-nli`: an embedded model, hub name or folder.

    Raises:
        InputError: There are no scores in *folder*, no `answers.jsonl` beside them, or *profile* is not the run's.
        ValueError: `general-nli` is asked for without a checkpoint, or the verifier is not `nli`.
    """
    from fas.api import score_file

    for one in which:
        if one != "corpora":
            _ablate_profile(profile, one, general_nli)  # what cannot be done is refused before anything is scored
    runs = find_runs(folder)
    for run in runs:
        if not (run / "answers.jsonl").is_file():
            raise InputError(f"{run}: has no answers.jsonl, so that nothing can be scored again", kind="missing_file")
        _check_profile(run, profile)
    written = []
    for run in runs:
        for name, changed in _list_settings(run, profile, which, general_nli).items():
            out = folder / "ablations" / name / run.relative_to(folder)
            out.mkdir(parents=True, exist_ok=True)
            source = run / "answers.jsonl"
            if name == "no-retrieval":
                source = out / "answers.jsonl"
                _write_questions_as_evidence(run / "answers.jsonl", source)
            score_file(source, out, profile=changed, offline=offline)
            written.append(out)
    return written


def _check_profile(run: Path, profile: Profile) -> None:
    """Refuse a profile that is not the run's: what an ablation changes would not be the ablated part alone."""
    from fas.pipeline import Pipeline

    given = str(read_settings(run).get("claims", "")).endswith("given")
    # Where the evidence is says nothing here; it may have moved, and an ablation may name another.
    pipeline = Pipeline(profile.override(evidence="none", safety=False), has_passages=True, has_claims=given)
    check_made_with(run, {"k": str(profile.k), **pipeline.settings()}, _SCORING)


def _list_settings(
    run: Path, profile: Profile, which: Sequence[Ablation], general_nli: str | None
) -> dict[str, Profile]:
    """Name to the settings of every ablation of *run*, whose evidence is the profile's or else the run's own."""
    if profile.evidence is None:
        profile = profile.override(evidence=read_evidence_source(run))
    found: dict[str, Profile] = {
        name: _ablate_profile(profile, name, general_nli) for name in which if name != "corpora"
    }
    if "corpora" in which:
        source = EvidenceSource(profile.evidence or "none")
        folders = parse_folders(source.argument) if source.name == "index" and source.argument else {}
        if len(folders) < 2:
            raise InputError(
                f"{run}: its evidence is {profile.evidence or 'not named'}, and not of several corpora; give them with "
                "--evidence index:NAME=DIR,NAME=DIR",
                kind="evidence",
            )
        found |= {
            f"{CORPUS}{name}": profile.override(evidence=f"index:{name}={path}") for name, path in folders.items()
        }
    return found


def _ablate_profile(profile: Profile, name: Ablation, general_nli: str | None = None) -> Profile:
    """The settings of an ablation; a ValueError as `run_ablations` raises it."""
    if name == "no-retrieval":
        return profile.override(evidence="passages")
    if profile.verify.name != "nli":
        raise ValueError(f"ablation {name!r} changes the verifier 'nli', but the profile has {profile.verify.name!r}")
    if general_nli is None:
        raise ValueError("ablation 'general-nli' needs a checkpoint: give `general_nli` a hub name or a folder")
    # Another checkpoint names its labels itself, or its folder says them.
    options = {**profile.verify.options, "model": general_nli}
    options.pop("labels", None)
    return profile.override(verify=PartSpec("nli", options))


def tabulate_ablations(run: StoredRun, folder: Path, **options: Any) -> Iterator[ResultTable]:
    """The cost of every ablation in *folder*; an InputError where one has no answer in common with *run*."""
    parts = dict(_list_parts(run, folder))
    if not parts:
        return
    names = ("support", "contra", "fas", "fas_evidence")
    rows: list[tuple[Cell, ...]] = []
    for title, (full, other) in parts.items():
        changes = paired_differences(
            {name: other.column(name) for name in names},
            {name: full.column(name) for name in names},
            clusters=full.units,
            **options,
        )
        cells: list[Cell] = [title, len(other.answers)]
        for name, mean in zip(names, other.means(names, **options), strict=True):
            cells += [mean, NONE if other is full else estimate_of(changes[name])]
        rows.append(tuple(cells))
    columns = parse_columns("text: configuration; count: answers")
    for title in (metric_title(name, run.k) for name in names):
        columns += (TableColumn(title), TableColumn(f"Δ {title}", "signed"))
    note = "Δ: change to the full model on the same answers, resampled in pairs."
    missing = [title for title in _TITLES.values() if title not in parts]
    absent = (f"Not run here: {'; '.join(missing)}.",) if missing else ()
    yield ResultTable("ablations", "What each part contributes to the score", columns, tuple(rows), (note, *absent))
    yield from _tabulate_gold(parts, options, absent)


def _tabulate_gold(
    parts: Mapping[str, tuple[StoredRun, StoredRun]], options: Any, absent: tuple[str, ...]
) -> Iterator[ResultTable]:
    rows: list[tuple[Cell, ...]] = []
    for title, (full, other) in parts.items():
        for gold, own in list_golds(full):
            mine = other.select(dataset=gold.dataset)
            cells: list[Cell] = [title, gold.dataset, gold.name]
            for metric in ("fas", "fas_evidence"):
                x, y = mine.column(metric), own.gold(gold.name)
                if np.isnan(x + y).all():
                    cells += [NO_ESTIMATE] * 2
                    continue
                cells.append(correlation(x, y, clusters=own.units, **options))
                found = correlation_difference(x, own.column(metric), y, clusters=own.units, **options)
                cells.append(NONE if other is full else estimate_of(found))
            rows.append(tuple(cells))
    if rows:
        columns = parse_columns(
            "text: configuration | data set | gold; signed: FAS | Δ FAS | FAS (evidence) | Δ FAS (evidence)"
        )
        rows.sort(key=lambda row: (str(row[1]), str(row[2])))
        note = "Spearman's ρ; Δ: change to the full model's on the same answers, resampled in pairs."
        yield ResultTable(
            "ablation_gold", "Spearman's ρ with gold when a part is taken out", columns, tuple(rows),
            (note, *absent),
        )  # fmt: skip


def _list_parts(run: StoredRun, folder: Path) -> Iterator[tuple[str, tuple[StoredRun, StoredRun]]]:
    """Title to the full run and the ablated one, over the answers that both have, in the same order."""
    folders = [folder / name for name in _TITLES if any((folder / name).glob(f"**/{SCORES}"))]
    claims = [claim for answer in run.answers for claim in answer["claims"] if len(claim["evidence"]) > 1]
    # Passages that a verifier read together have no probabilities of their own to choose the best by.
    several = bool(claims) and all(judged_together(claim) is None for claim in claims)
    if not folders and not several:
        return
    yield "full model", (run, run)
    if several and not math.isnan(run.settings.threshold):
        yield "one abstract (the best passage)", (run, rescore_run(run, n_passages=1))
    for path in folders:
        yield _TITLES[path.name], restrict_to_common(run, read_runs(find_runs(path)))


def restrict_to_common(run: StoredRun, other: StoredRun) -> tuple[StoredRun, StoredRun]:
    """Both runs over the answers that both have, in the same order; an InputError where there are none."""
    # Two models' answers to a question may have one id.
    ours, theirs = ({name_of(answer): answer for answer in one.answers} for one in (run, other))
    keys = [key for key in ours if key in theirs]
    if not keys:
        raise InputError(
            f"{other.paths[0]}: no answer in common with {run.paths[0]}; an ablation scores the same answers",
            kind="nothing_in_common",
        )
    first, second = (tuple(one[key] for key in keys) for one in (ours, theirs))
    return replace(run, answers=first), replace(other, answers=second)


def _write_questions_as_evidence(answers: Path, target: Path) -> None:
    """The answers with their question as the only passage; those without a question get an empty list."""
    with target.open("w", encoding="utf-8") as out:
        for _, record in json_lines(answers):
            question = (record.get("question") or "").strip()
            record["passages"] = [{"id": "question", "text": question}] if question else []
            out.write(json.dumps(record, ensure_ascii=False) + "\n")

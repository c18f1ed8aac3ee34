"""Running one experiment into a folder: answers, scores, ablations, tables, results.json. Resumable."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.stored import processor
from benchmarks.study.experiments import Experiment, Setting

from fas._version import __version__
from fas.api import score_file
from fas.bench.ablations import Ablation, run_ablations
from fas.bench.files import data_folder
from fas.bench.formats import ResultTable
from fas.bench.prepare import write_answers
from fas.bench.stored import find_runs, read_runs
from fas.bench.tables import make_tables, save_tables
from fas.core.profile import load_profile
from fas.stats.bootstrap import Estimate

ROOT = Path(__file__).resolve().parents[2]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that every script takes."""
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "study", help="folder of the results (runs/study)")
    parser.add_argument("--data", type=Path, help="folder of the benchmarks' files (FAS_DATA_DIR)")
    parser.add_argument("--samples", type=int, help="stored answers of a model to a question (all)")
    parser.add_argument("--seed", type=int, default=12345, help="seed of the draw of questions (12345)")
    parser.add_argument("--profile", default="mini", help="profile, or a TOML file (mini)")
    parser.add_argument("--gold-profile", help="profile whose verifier judges statements (the same)")
    parser.add_argument("--precision", choices=("auto", "fp32", "bf16"), help="number format of the models")
    parser.add_argument("--n-resamples", type=int, help="bootstrap draws (10,000)")
    parser.add_argument("--ablations", action="store_true", help="also take parts out where the experiment asks for it")
    parser.add_argument("--general-nli", metavar="MODEL", help="checkpoint of the ablation 'general NLI'")


def setting_from(options: argparse.Namespace, limit: int | None) -> Setting:
    """What the options say."""
    overrides = {"precision": options.precision, "n_resamples": options.n_resamples}
    profile = load_profile(options.profile).override(**overrides)
    return Setting(
        data=data_folder(options.data or _default_data()),
        work=options.out / "shared",
        profile=profile,
        gold_profile=load_profile(options.gold_profile or options.profile).override(**overrides),
        limit=limit,
        samples=options.samples,
        seed=options.seed,
    )


def run(found: Experiment, setting: Setting, options: argparse.Namespace, *, plots: bool = True) -> dict[str, Any]:
    """Score an experiment's answers; the same call after an interruption goes on where it stopped.

    Returns:
        The content of `results.json`.
    """
    began = time.perf_counter()
    out = options.out / found.name
    tell(f"{found.name}: preparing")
    material = found.make(setting)
    folders = write_answers(out, found.dataset, material.candidates, material.items, passages=material.passages)
    profile = setting.profile.override(evidence=material.evidence)
    for model, folder in folders.items():
        tell(f"{found.name}: scoring {model}")
        score_file(folder / "answers.jsonl", folder, profile=profile, offline=True)
    if options.ablations and found.ablations:
        which: list[Ablation] = ["no-retrieval"]
        which += ["general-nli"] if options.general_nli else []
        tell(f"{found.name}: ablations {', '.join(which)}")
        run_ablations(out, profile, which=which, general_nli=options.general_nli)
    tell(f"{found.name}: tables")
    scored = read_runs(find_runs(out))
    made = list(make_tables(scored, out / "ablations", n_resamples=profile.n_resamples, seed=profile.seed))
    if plots:
        save_tables(scored, made, out / "tables")
    result = {
        "experiment": found.name,
        "subset": {
            "n_questions": len(material.items),
            "n_available": material.n_available,
            "n_answers": len(material.candidates),
            "kinds": dict(Counter(item.kind or "(none)" for item in material.items.values())),
            "samples": setting.samples,
            "seed": setting.seed,
            "limit": setting.limit,
        },
        "signatures": scored.signature_lines(),
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "version": __version__,
        "seconds": round(time.perf_counter() - began, 1),
        "tables": {table.name: _plain(table) for table in made},
    }
    (out / "results.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def tell(text: str) -> None:
    """A line for whoever waits."""
    print(text, file=sys.stderr, flush=True)


def _default_data() -> Path | None:
    beside = ROOT.parent / "shared" / "data"
    return None if "FAS_DATA_DIR" in os.environ or not beside.is_dir() else beside


def _plain(table: ResultTable) -> dict[str, Any]:
    """A table as JSON can hold it; an estimate is [value, low, high, n, what its interval is by], the undefined null."""
    return {
        "title": table.title,
        "columns": [[column.name, column.form] for column in table.columns],
        "rows": [[_cell(cell) for cell in row] for row in table.rows],
        "notes": list(table.notes),
    }


def _cell(cell: Any) -> Any:
    if isinstance(cell, Estimate):
        return [None if value != value else value for value in cell]
    return None if cell != cell else cell

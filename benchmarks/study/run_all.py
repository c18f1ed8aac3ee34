"""Score the real runs, then write their tables and the pages; the same command resumes after a stop.

    python -m benchmarks.study.run_all --out runs/study

By default each experiment takes the questions and the two samples a model of the stored results; `--limit` and `--samples`
take others.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.stored import processor
from benchmarks.study.experiments import EXPERIMENTS, ROOT, Experiment, Setting
from benchmarks.study.report import write_pages

from fas._version import __version__
from fas.api import score_file
from fas.bench.ablations import Ablation, run_ablations
from fas.bench.files import data_folder
from fas.bench.prepare import write_answers
from fas.bench.stored import find_runs, read_runs
from fas.bench.tables import make_tables, save_tables
from fas.core.profile import load_profile
from fas.stats.bootstrap import Estimate


def run(found: Experiment, setting: Setting, out: Path, general_nli: str | None) -> dict[str, Any]:
    """Score an experiment's answers into *out*, and write and return `results.json`."""
    began = time.perf_counter()
    print(f"{found.name}: preparing", file=sys.stderr, flush=True)
    material = found.make(setting)
    folders = write_answers(out, found.dataset, material.candidates, material.items, passages=material.passages)
    profile = setting.profile.override(evidence=material.evidence)
    for model, folder in folders.items():
        print(f"{found.name}: scoring {model}", file=sys.stderr, flush=True)
        score_file(folder / "answers.jsonl", folder, profile=profile, offline=True)
    if found.ablations:
        which: list[Ablation] = ["no-retrieval", *(["general-nli"] if general_nli else [])]  # type: ignore[list-item]
        run_ablations(out, profile, which=which, general_nli=general_nli)
    scored = read_runs(find_runs(out))
    made = list(make_tables(scored, out / "ablations", n_resamples=profile.n_resamples, seed=profile.seed))
    save_tables(scored, made, out / "tables")
    subset = {
        "n_questions": len(material.items),
        "n_available": material.n_available,
        "n_answers": len(material.candidates),
        "kinds": dict(Counter(item.kind or "(none)" for item in material.items.values())),
        **{name: getattr(setting, name) for name in ("samples", "seed", "limit")},
    }
    tables = {
        table.name: {
            "title": table.title,
            "columns": [[column.name, column.form] for column in table.columns],
            "rows": [[_as_json(cell) for cell in row] for row in table.rows],
            "notes": list(table.notes),
        }
        for table in made
    }
    result = {
        "experiment": found.name,
        "subset": subset,
        "signatures": scored.signature_lines(),
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "version": __version__,
        "seconds": round(time.perf_counter() - began, 1),
        "tables": tables,
    }
    (out / "results.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return result


def _as_json(cell: Any) -> Any:
    """A cell of a table; an estimate becomes [value, low, high, n, method], an undefined number null."""
    if isinstance(cell, Estimate):
        return [None if value != value else value for value in cell]
    return None if cell != cell else cell


def main() -> None:
    """Run the experiments."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "study", help="folder of the results (runs/study)")
    parser.add_argument("--data", type=Path, help="folder of the benchmarks' files (FAS_DATA_DIR)")
    parser.add_argument("--limit", type=int, help="questions of every experiment (those of the stored results)")
    parser.add_argument("--samples", type=int, default=2, help="stored answers of a model to a question (2)")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these experiments (all)")
    parser.add_argument("--profile", default="mini", help="profile, or a TOML file (mini)")
    parser.add_argument("--gold-profile", help="profile whose verifier judges statements (the same)")
    parser.add_argument("--general-nli", metavar="MODEL", help="checkpoint of the ablation 'general NLI'")
    options = parser.parse_args()
    beside = ROOT.parent / "shared" / "data"
    data = options.data or (beside if "FAS_DATA_DIR" not in os.environ and beside.is_dir() else None)
    profiles = load_profile(options.profile), load_profile(options.gold_profile or options.profile)
    setting = Setting(data_folder(data), options.out / "shared", *profiles, samples=options.samples)
    for found in EXPERIMENTS:
        if not options.only or found.name in options.only:
            own = replace(setting, limit=options.limit or found.limit)
            result = run(found, own, options.out / found.name, options.general_nli)
            print(f"{found.name}: {result['subset']['n_answers']} answers in {result['seconds']:.0f} s", flush=True)
    for path in write_pages(options.out):
        print(path)


if __name__ == "__main__":
    main()

"""Real models compared, with the question as the unit and with the answer: how wide intervals are, what differs.

    fas bench run medlfqa --data DATA --subset kqa_golden --passages references --limit 20 --samples 4 --no-gold \
        --models gemma-7b,llama3-8b-instruct,mistral-7b,biomistral-7b -o runs/golden
    python -m benchmarks.coverage.models runs/golden         write models.json and README.md

Every two models of the run are compared by `fas.report.compare.compare_runs`, as `fas results compare` does, once with the
question as the unit and once with the answer (`--cluster-by none`).
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.coverage.page import MODELS, pages
from benchmarks.tables import write
from fas.report.compare import MetricComparison, compare_runs
from fas.report.results import read_results

METRICS = ("fas", "support@5", "contra@5", "rougeL", "bertscore_f1")


def compare_models(run: Path, data: str) -> dict[str, Any]:
    """What the page needs of a folder of `fas bench`."""
    folders = sorted(path.parent for path in run.glob("*/report.json") if (path.parent / "scores.jsonl").is_file())
    if len(folders) < 2:
        raise SystemExit(f"{run}: at least two models are needed, found {[folder.name for folder in folders]}")
    rows: list[dict[str, Any]] = []
    for a, b in combinations(folders, 2):
        by_question = compare_runs(a, b, metrics=METRICS).metrics
        by_answer = compare_runs(a, b, metrics=METRICS, cluster_by=None).metrics
        for metric in METRICS:
            sides = {"questions": by_question[metric], "answers": by_answer[metric]}
            rows.append({"a": a.name, "b": b.name, "metric": metric} | {k: _side(v) for k, v in sides.items()})
    ratios = [_width(row["questions"]) / _width(row["answers"]) for row in rows if _both(row)]
    units = [unit for folder in folders for unit in read_results(folder).units or ()]
    per_question = Counter(read_results(folders[0]).units or ())
    report = json.loads((folders[0] / "report.json").read_text(encoding="utf-8"))
    return {
        "data": data,
        "date": datetime.now(UTC).date().isoformat(),
        "signature": report["signature"],
        "models": [folder.name for folder in folders],
        "metrics": list(METRICS),
        "n_answers": len(units),
        "n_questions": len(set(units)),
        "per_question": max(per_question.values()),
        "median_ratio": float(np.median(ratios)),
        "ratios": [min(ratios), max(ratios)],
        "comparisons": rows,
    }


def _side(row: MetricComparison) -> dict[str, Any]:
    found = row.result
    given = not math.isnan(found.low)
    return {
        "difference": found.difference,
        "low": found.low if given else None,
        "high": found.high if given else None,
        "p": found.p,
        "how": found.how,
        "n_units": found.n_units,
        "excludes_0": given and not found.low <= 0 <= found.high,
    }


def _both(row: dict[str, Any]) -> bool:
    return row["questions"]["low"] is not None and row["answers"]["low"] is not None


def _width(side: dict[str, Any]) -> float:
    return float(side["high"] - side["low"])


def main() -> None:
    """Compare the models of a run, keep the result and make the page anew."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="a folder of `fas bench`, one model a folder in it")
    parser.add_argument("--data", default="MedLFQA's K-QA golden", help="what the page calls the questions")
    options = parser.parse_args()
    MODELS.write_text(json.dumps(compare_models(options.run, options.data), indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

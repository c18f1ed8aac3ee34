"""The tables of `../README.md` from the stored results of a recipe.

    python -m benchmarks.embedded_models.nli.page [RUNS/results-...]

With the folder of a recipe's results, these are stored first, in `results/NAME.json`.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.embedded_models.nli.card import tables
from benchmarks.tables import filled, write

HERE = Path(__file__).parent
PAGE = HERE.parent / "README.md"
STORED = HERE / "results/base.json"


def renamed(results: dict[str, dict[str, Any]], name: str) -> dict[str, dict[str, Any]]:
    """The results with the folder of the measured model (`model-...`) called *name*."""
    return {
        task: {name if model.startswith("model-") else model: own for model, own in by_model.items()}
        for task, by_model in results.items()
    }


def store(folder: Path, out_of_fold: Path, name: str) -> None:
    """Keep the results in *folder* and those *out_of_fold* (the calibrator's) as the results of *name*."""
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    fold = json.loads(out_of_fold.read_text(encoding="utf-8"))
    text = json.dumps({"model": name, "out_of_fold": fold, "tasks": renamed(results, name)}, indent=1)
    STORED.write_text(text + "\n", encoding="utf-8")


def pages() -> dict[Path, str]:
    """The page with its tables made anew from what is stored."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    models = [name for name in next(iter(stored["tasks"].values())) if name not in ("word overlap", "encoder cosine")]
    return filled(PAGE, {"base": tables(stored["tasks"], stored["out_of_fold"], models)})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path, nargs="?", help="a folder RUNS/results-...")
    parser.add_argument("--out-of-fold", type=Path, help="RUNS/calibration-.../out_of_fold.json")
    parser.add_argument("--name", default="fas-nli-base", help="what the measured model is called")
    options = parser.parse_args()
    if options.results:
        if options.out_of_fold is None:
            parser.error("--out-of-fold is needed with a folder of results")
        store(options.results, options.out_of_fold, options.name)
    write(pages())


if __name__ == "__main__":
    main()

"""Make a verifier's model by a recipe, in stages that resume.

    python -m benchmarks.embedded_models.nli benchmarks/embedded_models/nli/recipes/base.toml --data DATA --out RUNS

Stages: `train` (two of them), `export` (the difference to the trunk), `calibrate` (the regression beside it), `measure`. The
trunk is the one that `fas models get base` fetched, unless another folder is named. What is finished is not made again.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.embedded_models.nli.recipe import Recipe
from benchmarks.embedded_models.nli.stages import Stages

from fas.models.trunks import trunk_place

STAGES = ("train", "export", "calibrate", "measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--trunk", type=Path, help="folder of the trunk's weights and tokenizer")
    parser.add_argument("--out", type=Path, required=True, help="where the stages lie")
    parser.add_argument("--until", choices=STAGES, default="measure", help="the last stage")
    parser.add_argument("--beside", nargs="*", default=["fas-nli-mini"], help="models that are measured beside it")
    options = parser.parse_args()
    recipe = Recipe.read(options.recipe)
    own = recipe["trunk"]
    trunk = options.trunk or trunk_place(own["name"], own["sha256"], recipe["name"])
    stages = Stages(recipe, options.data, trunk, options.out)
    for stage in STAGES[: STAGES.index(options.until) + 1]:
        done = stages.measure(options.beside) if stage == "measure" else getattr(stages, stage)()
        print(f"{stage}: {done}", flush=True)


if __name__ == "__main__":
    main()

"""Make a verifier's model by a recipe, in stages that resume.

    python -m benchmarks.embedded_models.nli benchmarks/embedded_models/nli/recipes/base.toml --data DATA --out RUNS

Stages: `teach` (what a teacher says of unlabelled pairs, where the recipe has one), `train` (at one rate), `settle` (at a rate
that falls to zero), `export`, `calibrate` (the regression beside the weights), `measure`. A trunk that is no embedded model is the
one that `fas models get base` fetched, unless another folder is named. What is finished is not made again.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.embedded_models.nli.recipe import Recipe
from benchmarks.embedded_models.nli.stages import Stages

from fas.models.paths import EMBEDDED, model_folder
from fas.models.trunks import trunk_place

STAGES = ("teach", "train", "settle", "export", "calibrate", "measure")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--trunk", type=Path, help="folder of the trunk's weights and tokenizer")
    parser.add_argument("--out", type=Path, required=True, help="where the stages lie")
    parser.add_argument("--stages", nargs="*", choices=STAGES, default=STAGES, help="only these, in their order")
    parser.add_argument("--beside", nargs="*", default=["fas-nli-mini"], help="models that are measured beside it")
    options = parser.parse_args()
    recipe = Recipe.read(options.recipe)
    own = recipe["trunk"]
    trunk = options.trunk or (
        model_folder(own["name"])
        if own["name"] in EMBEDDED
        else trunk_place(own["name"], own["sha256"], recipe["name"])
    )
    stages = Stages(recipe, options.data, trunk, options.out)
    for stage in sorted(options.stages, key=STAGES.index):
        done = stages.measure(options.beside) if stage == "measure" else getattr(stages, stage)()
        print(f"{stage}: {done}", flush=True)


if __name__ == "__main__":
    main()

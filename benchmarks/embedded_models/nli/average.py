"""Average the weights of several runs, and of what each was before its last stage.

    python average.py --before runs/nli-a/model runs/nli-b/model --after runs/experts-a runs/experts-b --out runs/averaged

Runs that continue one another end in the same basin of the loss, and the mean of their weights is a better model than
any of them (model soups: Wortsman et al. 2022). The last stage is narrow and costs something of what was learned before
it; part of the way back to the weights before it returns most of that (robust fine-tuning: Wortsman et al. 2022).
Written for each run of `train_experts.py`, so that SciFact's folds stay as far from their claims as they were: `before`
has seen none of them, and every `after` of a fold was trained without it. `measure.py --folds` takes the result.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import torch
from experts import FOLDS
from safetensors.torch import load_file, save_file

WEIGHTS = "model.safetensors"


def mean(folders: list[Path]) -> dict[str, torch.Tensor]:
    """The mean of the weights in *folders*, in fp32.

    Raises:
        ValueError: The folders hold weights of different names or shapes.
    """
    total: dict[str, torch.Tensor] = {}
    for folder in folders:
        weights = load_file(folder / WEIGHTS)
        if total and {n: w.shape for n, w in weights.items()} != {n: w.shape for n, w in total.items()}:
            raise ValueError(f"{folder} holds other weights than {folders[0]}")
        for name, weight in weights.items():
            total[name] = total.get(name, 0) + weight.float() / len(folders)
    return total


def between(before: dict[str, torch.Tensor], after: dict[str, torch.Tensor], share: float) -> dict[str, torch.Tensor]:
    """The weights *share* of the way from *before* (0) to *after* (1)."""
    return {name: ((1 - share) * before[name] + share * weight).contiguous() for name, weight in after.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, nargs="+", required=True, help="weights that the last stages began with")
    parser.add_argument("--after", type=Path, nargs="+", required=True, help="folders made by train_experts.py")
    parser.add_argument("--share", type=float, default=0.75, help="how much of the last stage is kept, 0 to 1")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    before = mean(options.before)
    for name in ("all", *(f"fold-{i}" for i in range(FOLDS))):
        folders = [folder / name for folder in options.after]
        weights = between(before, mean(folders), options.share)
        out = options.out / name
        out.mkdir(parents=True, exist_ok=True)
        for file in folders[0].iterdir():
            if file.name != WEIGHTS:
                shutil.copy(file, out / file.name)
        save_file(weights, out / WEIGHTS, metadata={"format": "pt"})
        print(out)


if __name__ == "__main__":
    main()

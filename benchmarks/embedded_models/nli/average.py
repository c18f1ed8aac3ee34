"""Average the weights of several runs, and add what the last stage taught to the average.

    python average.py --before runs/nli-a/model runs/nli-b/model --after runs/experts-a runs/experts-b --also runs/nli-c/model --out runs/averaged

Runs that continue one another end in the same basin of the loss, and the mean of their weights is a better model than
any of them (model soups: Wortsman et al. 2022). The last stage is narrow and costs something of what was learned before
it; a part of the way keeps most of both (robust fine-tuning: Wortsman et al. 2022), and the way itself, weights after
less weights before, can be added to other weights of the same basin (task arithmetic: Ilharco et al. 2023):

    mean of all weights before the last stage + share * mean over its runs of (after - before)

Weights that were trained on from that mean take its place with `--base`.
Without `--after` the mean itself is written, for a last stage to begin with. Otherwise written for each run of `train_experts.py`, so that SciFact's folds stay as far from their claims as they were: no
`before`, `also` or `base` has seen any of them, and every `after` of a fold was trained without it. `calibrate.py` and `measure.py`
take the result as `--folds`, `export.py` its `all`.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path

import torch
from experts import FOLDS
from safetensors.torch import load_file, save_file

from fas.models.nli import load_classifier

WEIGHTS = "model.safetensors"
# Says that the embedding table lies elsewhere.
EXPORTED = "shared_embeddings.json"
Weights = dict[str, torch.Tensor]


def read(folder: Path) -> Weights:
    """The weights in *folder*, in fp32; those that `export.py` wrote with their embedding table."""
    if (folder / EXPORTED).is_file():
        return dict(load_classifier(str(folder), torch.float32).state_dict())
    return {name: weight.float() for name, weight in load_file(folder / WEIGHTS).items()}


def mean(models: Sequence[Weights], shares: Sequence[float] | None = None) -> Weights:
    """The mean of the weights, name by name; *shares* weigh the models, equally without.

    Raises:
        ValueError: They differ in names or shapes.
    """
    shapes = [{name: weight.shape for name, weight in model.items()} for model in models]
    if any(other != shapes[0] for other in shapes):
        raise ValueError("the weights to be averaged differ in names or shapes")
    share = torch.tensor(shares or [1.0] * len(models))
    share = share / share.sum()
    return {name: torch.tensordot(share, torch.stack([model[name] for model in models]), dims=1) for name in models[0]}


def moved(base: Weights, before: Weights, after: Weights, share: float) -> Weights:
    """*base*, and on it *share* of the way from *before* to *after*."""
    return {name: weight + share * (after[name] - before[name]) for name, weight in base.items()}


def write(weights: Weights, out: Path, *, like: Path) -> None:
    """Write *weights* to the folder *out*, with the other files of the folder *like*."""
    out.mkdir(parents=True, exist_ok=True)
    for file in like.iterdir():
        if file.name not in (WEIGHTS, EXPORTED):
            shutil.copy(file, out / file.name)
    save_file({name: weight.contiguous() for name, weight in weights.items()}, out / WEIGHTS, metadata={"format": "pt"})
    print(out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, nargs="+", required=True, help="weights that the last stages began with")
    parser.add_argument(
        "--shares", type=float, nargs="+", help="how the weights before are weighed in their mean (equally)"
    )
    parser.add_argument("--after", type=Path, nargs="*", default=[], help="their folders made by train_experts.py")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="more weights before, without a last stage")
    parser.add_argument("--base", type=Path, nargs="+", help="weights to begin with in place of all weights before")
    parser.add_argument("--share", type=float, default=0.75, help="how much of the last stage is kept, 0 to 1")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    if options.base and options.also:
        parser.error("--base takes the place of all weights before; --also adds to them")
    if options.after and len(options.before) != len(options.after):
        parser.error("--before and --after name the same runs, in the same order")
    if options.shares and (options.after or options.also or len(options.shares) != len(options.before)):
        parser.error("--shares: one for each of the weights before, and nothing else to average")
    begun = [read(folder) for folder in options.before]
    before, base = mean(begun), mean([read(folder) for folder in options.base or [*options.before, *options.also]])
    if not options.after:
        write(mean(begun, options.shares) if options.shares else base, options.out, like=options.before[0])
        return
    for name in ("all", *(f"fold-{i}" for i in range(FOLDS))):
        folders = [folder / name for folder in options.after]
        weights = moved(base, before, mean([read(folder) for folder in folders]), options.share)
        write(weights, options.out / name, like=folders[0])


if __name__ == "__main__":
    main()

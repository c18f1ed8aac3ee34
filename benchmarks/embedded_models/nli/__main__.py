"""Make a verifier's model by a recipe, in stages that resume.

    python benchmarks/embedded_models/nli recipes/base.toml --data DATA --trunk FOLDER --out RUNS

Stages: `hold` and `decay` train, `export` stores the difference to the trunk, `calibrate` fits the regression beside it, `measure` measures.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import torch
from transformers import AutoTokenizer

import fitting
from data import Pair, read_jsonl
from mixture import epoch_pairs, read_pairs, write_pairs
from recipe import HERE, Recipe, file_sha256, stage_folder
from taught import Judged

FITTING = ("fitting.py",)
# What decides the pairs.
MAKING = (
    *(
        "mixture.py",
        "taught.py",
        "data.py",
        "abstracts.py",
        "claim_forms.py",
        "perturb.py",
        "perturb_rules.py",
        "perturb_words.toml",
    ),
    *("aims.py", "negations.py", "qualifiers.py", "asides.py", "enumerations.py", "small_words.py", "synonyms.py"),
    *(f"comparisons/{name}.py" for name in ("__init__", "changes", "claims", "results", "words")),
)


def watched(data: Path, tokenizer: object, reads_out: bool) -> list[fitting.Batch]:
    """400 pairs of Ling-in-the-Loop's train part, which trains nothing, to see how a run goes."""
    rows = [r for r in read_jsonl(data / "train/ling_in_loop/ling_in_loop.jsonl.gz") if r["split"] == "train"]
    rows = random.Random(0).sample(rows, 400)
    pairs = [Pair(str(r["premise"]), str(r["hypothesis"]), fitting.CLASSES.index(str(r["label"]))) for r in rows]
    made = fitting.batches(pairs, tokenizer, max_tokens=4096, longest=128, rng=random.Random(0), reads_out=reads_out)
    return list(made)


def accuracy(model: torch.nn.Module, batches: list[fitting.Batch]) -> dict[str, float]:
    """How many of the pairs are judged right, as a share."""
    right = n = 0
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for features, targets, _ in batches:
            right += int((model(**features).logits.argmax(-1) == targets[:, :3].argmax(-1)).sum())
            n += len(targets)
    return {"ling_train": round(right / n, 4)}


def train(recipe: Recipe, data: Path, trunk: Path, out: Path) -> Path:
    """Both training stages; the folder of the second."""
    own, rule = recipe["trunk"], recipe["training"]
    found = file_sha256(trunk / "model.safetensors")
    if found != own["sha256"]:
        raise SystemExit(f"{trunk}: sha256 {found}, the recipe wants {own['sha256']}")
    tokenizer = AutoTokenizer.from_pretrained(trunk)
    model = fitting.classifier(trunk, frozen=own["frozen"], seed=recipe["seed"], reads_out=rule["reads_out"])
    looked_at = watched(data, tokenizer, rule["reads_out"])

    pairs_config = [recipe["seed"], recipe["mixture"], [recipe[stage]["characters"] for stage in ("hold", "decay")]]
    made = stage_folder(out, "pairs", pairs_config, MAKING, [file_sha256(HERE / "judged.npz")])

    def batches(stage: str, step: int) -> Iterator[fitting.Batch]:
        seed = recipe["seed"] + step + (stage == "decay")
        file = made / f"{stage}-{step}.jsonl.gz"
        if not file.exists():
            judged = Judged.read(HERE / "judged.npz")
            longest = recipe[stage]["characters"]
            pairs = epoch_pairs(data / "train", recipe.counts(stage), seed=seed, characters=longest, judged=judged)
            write_pairs(file, pairs)
        pairs = read_pairs(file)
        print(f"{stage} from step {step}: {len(pairs)} pairs", flush=True)
        return fitting.batches(
            pairs,
            tokenizer,
            max_tokens=rule["tokens_a_batch"],
            longest=recipe[stage]["longest"],
            rng=random.Random(seed),
            reads_out=rule["reads_out"],
        )

    # A longer first stage goes through the same weights as a shorter one, so its length is not part of its name.
    config = [recipe["trunk"], rule, recipe["seed"], recipe["hold"]["longest"]]
    hold = stage_folder(out, "hold", config, FITTING, [own["sha256"], made.name])
    steps = recipe["hold"]["steps"]
    decay = stage_folder(out, "decay", [steps, recipe["decay"]], FITTING, [hold.name])
    run = fitting.Run(model, hold, rate=rule["rate"])

    def watch(model: torch.nn.Module) -> dict[str, float]:
        return accuracy(model, looked_at)

    if not (decay / "last.pt").exists():
        run.go(
            steps,
            lambda step: batches("hold", step),
            lambda step: fitting.held(step, rule["warm_up"]),
            rule["checkpoint_every"],
            watch,
        )
    run = fitting.Run(model, decay, rate=rule["rate"])
    if run.step < steps:
        run.load(hold / "last.pt")
    last = steps + recipe["decay"]["steps"]
    run.go(
        last,
        lambda step: batches("decay", step),
        lambda step: fitting.falling(step, steps, last),
        rule["checkpoint_every"],
        watch,
    )
    return decay


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of the development data")
    parser.add_argument("--trunk", type=Path, required=True, help="folder of the trunk's weights and tokenizer")
    parser.add_argument("--out", type=Path, required=True, help="where the stages lie")
    options = parser.parse_args()
    train(Recipe.read(options.recipe), options.data, options.trunk, options.out)


if __name__ == "__main__":
    main()

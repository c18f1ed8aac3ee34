"""Fine-tune a verifier on the labelled verdicts: whole passages, three classes.

    python -m benchmarks.verdicts.train benchmarks/verdicts/mini.toml --data DATA --out RUNS

The recipe names the weights to start from (a commit of this repository, so that they can always be had), the rounds of
labels with their passes, and how many public pairs are mixed in so that nothing learned from those is lost. Public sets are
those of `benchmarks/embedded_models/nli/sets.toml`, whose licences allow weights that ship. An interrupted run goes on from its
last checkpoint. The result is a folder as `fas/models` keeps it, without calibrator and thresholds: `calibrate` adds those.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer

from benchmarks.embedded_models.nli import data as public
from benchmarks.embedded_models.nli.export import write_layers
from benchmarks.verdicts.labels import LabelledPair, training_pairs
from fas.models.nli import READS_PASSAGES_KEY, load_classifier
from fas.models.paths import model_folder
from fas.models.readout import read_out

REPOSITORY = Path(__file__).resolve().parents[2]
_CLASS = {"S": 0, "N": 1, "C": 2}


def starting_weights(start: Mapping[str, str], out: Path) -> Path:
    """The folder of the weights to start from, as they were at `start["commit"]`."""
    folder = out / "start"
    folder.mkdir(parents=True, exist_ok=True)
    listed = subprocess.run(
        ["git", "ls-tree", "--name-only", start["commit"], start["path"] + "/"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    for path in listed:
        shown = subprocess.run(
            ["git", "show", f"{start['commit']}:{path}"], cwd=REPOSITORY, check=True, capture_output=True
        )
        (folder / Path(path).name).write_bytes(shown.stdout)
    return folder


def replayed(root: Path, mixture: Mapping[str, int], seed: int) -> list[tuple[str, str, int, float]]:
    """Public pairs as premise, hypothesis, class and weight: so many of each set."""
    found = []
    names = public.sources()
    for name, n in mixture.items():
        pairs = [pair for pair in public.load(root, names[name], seed=seed) if pair.label < 3]
        found += [(pair.premise, pair.hypothesis, pair.label, pair.weight) for pair in pairs[:n]]
    return found


def labelled(pairs: Sequence[LabelledPair]) -> list[tuple[str, str, int, float]]:
    """Labelled pairs as premise, hypothesis, class and weight."""
    return [(pair.passage, pair.claim, _CLASS[pair.label], pair.weight) for pair in pairs]


def batches(lengths: Sequence[int], tokens: int, rng: random.Random) -> list[list[int]]:
    """All positions once, in random batches of pairs of like length and at most *tokens* padded tokens."""
    order = list(range(len(lengths)))
    rng.shuffle(order)
    found: list[list[int]] = []
    for start in range(0, len(order), 512):
        batch: list[int] = []
        for i in sorted(order[start : start + 512], key=lengths.__getitem__):
            if batch and (len(batch) + 1) * lengths[i] > tokens:
                found.append(batch)
                batch = []
            batch.append(i)
        found.append(batch)
    rng.shuffle(found)
    return found


def train_round(
    model: Any,
    tokenizer: Any,
    items: Sequence[tuple[str, str, int, float]],
    recipe: Mapping[str, Any],
    own: Mapping[str, Any],
    name: str,
    out: Path,
) -> None:
    """Passes over *items* at a rate that rises, and falls to zero where the round says so; checkpoints lie in *out*."""
    rng = random.Random(f"{recipe['seed']}/{name}")
    torch.manual_seed(recipe["seed"])
    encoded = tokenizer(
        [read_out(premise) for premise, *_ in items],
        [hypothesis for _, hypothesis, *_ in items],
        truncation="only_first",
        max_length=recipe["longest"],
    )
    ids, types = encoded["input_ids"], encoded.get("token_type_ids")
    lengths = [len(row) for row in ids]
    plan = [batch for _ in range(own["passes"]) for batch in batches(lengths, recipe["tokens_a_batch"], rng)]
    trained = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=own["rate"], weight_decay=0.01)
    saved, first = out / f"{name}.pt", 0
    if saved.is_file():
        kept = torch.load(saved, weights_only=True)
        model.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
        first = kept["step"]
    model.train()
    begun, loss_now = time.monotonic(), 0.0
    for step in range(first, len(plan)):
        done = step / len(plan)
        for group in optimiser.param_groups:
            group["lr"] = own["rate"] * min(1.0, (done + 1e-3) / 0.05) * (1.0 - done if own["falls"] else 1.0)
        batch = plan[step]
        width = max(len(ids[i]) for i in batch)
        features = {"input_ids": _padded([ids[i] for i in batch], width, tokenizer.pad_token_id)}
        features["attention_mask"] = _padded([[1] * len(ids[i]) for i in batch], width, 0)
        if types is not None:
            features["token_type_ids"] = _padded([types[i] for i in batch], width, 0)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=recipe.get("bf16", True)):
            logits = model(**features).logits
        wanted = torch.tensor([items[i][2] for i in batch])
        weights = torch.tensor([items[i][3] for i in batch])
        losses = torch.nn.functional.cross_entropy(logits.float(), wanted, reduction="none", label_smoothing=0.05)
        loss = (losses * weights).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimiser.step()
        loss_now = loss.item() if step == first else 0.97 * loss_now + 0.03 * loss.item()
        if step % 25 == 0:
            print(f"{name}: {step}/{len(plan)} loss {loss_now:.3f} {time.monotonic() - begun:.0f} s", flush=True)
        if (step + 1) % recipe["checkpoint_every"] == 0 or step + 1 == len(plan):
            torch.save({"model": model.state_dict(), "optimiser": optimiser.state_dict(), "step": step + 1}, saved)


def _padded(rows: Sequence[Sequence[int]], width: int, fill: int) -> torch.Tensor:
    return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of the development data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=99, help="stop after so many rounds")
    options = parser.parse_args()
    recipe = tomllib.loads(options.recipe.read_text(encoding="utf-8"))
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    folder = starting_weights(recipe["start"], options.out)
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)
    model = load_classifier(str(folder), torch.float32)
    setattr(model.config, READS_PASSAGES_KEY, True)
    frozen = tuple(recipe["frozen"])
    for key, parameter in model.named_parameters():
        parameter.requires_grad = not any(part in key for part in frozen)
    for number, own in enumerate(recipe["rounds"][: options.rounds], 1):
        name = f"round{number}"
        items = []
        for label_round, share in own["labels"].items():
            pairs = labelled(training_pairs(int(label_round)))
            random.Random(f"{recipe['seed']}/{name}/{label_round}").shuffle(pairs)
            items += pairs[: round(len(pairs) * share)]
        items += replayed(options.data / "train", own["public"], recipe["seed"] + number)
        print(f"{name}: {len(items)} pairs", flush=True)
        done = options.out / f"{name}.pt"
        if number < len(recipe["rounds"]) and done.is_file() and (options.out / f"{name}.done").is_file():
            model.load_state_dict(torch.load(done, weights_only=True)["model"])
            continue
        train_round(model, tokenizer, items, recipe, own, name, options.out)
        (options.out / f"{name}.done").touch()
    states = {"start": load_classifier(str(folder), torch.float32).state_dict()}
    for name in set(recipe["averaged"]) - {"start"}:
        states[name] = torch.load(options.out / f"{name}.pt", weights_only=True)["model"]
    shares = recipe["averaged"]
    model.load_state_dict(
        {
            key: sum(share * states[name][key].float() for name, share in shares.items()).to(value)
            for key, value in states["start"].items()
        }
    )
    model.eval()
    write_layers(model, model_folder(recipe["embeddings"]), recipe["embeddings"], options.out / "model")
    (options.out / "model" / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

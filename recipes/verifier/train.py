"""Fine-tune a verifier on the labelled verdicts: whole passages, three classes.

    python -m recipes.verifier.train recipes/verifier/mini.toml --data DATA --out RUNS

The recipe names the weights to start from (a commit of this repository, so that they can always be had), the rounds of
labels with their passes, and how many public pairs are mixed in so that nothing learned from those is lost. Public sets are
those of `sets.toml`, whose licences allow weights that ship. An interrupted run goes on from its
last checkpoint. The result is a folder as `fas/models` keeps it, without calibrator and thresholds: `calibrate` adds those.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoTokenizer

from recipes.verifier import public
from recipes.verifier.pairs.comparisons import comparison_pairs
from recipes.verifier.pairs.enumerations import enumeration_pairs
from recipes.verifier.export import write_difference, write_layers
from recipes.verifier.pairs.negations import negation_pairs
from recipes.verifier.pairs.small_words import small_word_pairs
from benchmarks.verdicts.labels import LABELS, training_pairs
from fas.models.difference import Kept
from fas.models.first_token import read_first_token_only
from fas.models.nli import READS_PASSAGES_KEY, load_classifier
from fas.models.paths import model_folder
from fas.models.readout import read_out
from fas.text.sentences import sentence_spans

REPOSITORY = Path(__file__).resolve().parents[2]
MAKERS: dict[str, Callable[[int, int], list[public.Pair]]] = {
    "comparisons": lambda n, seed: comparison_pairs(n, seed=seed, worded=0.45),
    "enumerations": lambda n, seed: enumeration_pairs(n, seed=seed),
    "negations": lambda n, seed: negation_pairs(n, seed=seed),
    "small_words": lambda n, seed: small_word_pairs(n, seed=seed),
}


def starting_weights(start: Mapping[str, Any], out: Path) -> Path:
    """The folder of the weights at `start["path"]`, as they were at `start["commit"]`."""
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


class Item(NamedTuple):
    """One training pair: premise, hypothesis, class (`LABELS`) and the weight of its loss."""

    premise: str
    hypothesis: str
    target: int
    weight: float = 1.0


def epoch_items(recipe: Mapping[str, Any], data: Path, number: int) -> list[Item]:
    """The pairs of pass *number*: all labels, and the recipe's numbers of public and of made pairs, drawn anew."""
    rng = random.Random(f"{recipe['seed']}/{number}")
    found = []
    passages = []
    for pair in training_pairs(number):
        kind = f"{pair.kind}_{pair.label}"
        shares = recipe["shares"].get(kind, [1.0])
        share = shares[min(number, len(shares) - 1)]
        if share < 1 and rng.random() >= share:
            continue
        up = recipe["weights"].get(kind, 1.0)
        found.append(Item(pair.passage, pair.claim, LABELS.index(pair.label), pair.weight * up))
        passages.append(pair.passage)
    sets = public.sources()
    for name, n in recipe["public"].items():
        pairs = [pair for pair in public.load(data / "train", sets[name], seed=recipe["seed"]) if pair.label < 3]
        rng.shuffle(pairs)
        found += [Item(pair.premise, pair.hypothesis, pair.label, pair.weight) for pair in pairs[:n]]
    for name, n in recipe["made"].items():
        for made in MAKERS[name](n, recipe["seed"] + number):
            premise = made.premise
            if rng.random() < recipe["surrounded"]:
                premise = surrounded(premise, rng.choice(passages), rng)
            found.append(Item(premise, made.hypothesis, made.label))
    return found


def surrounded(premise: str, passage: str, rng: random.Random) -> str:
    """*premise* between sentences of *passage*, which is about something else: what decides has to be found."""
    sentences = [passage[start:end] for start, end in sentence_spans(passage)][:6]
    place = rng.randint(0, len(sentences))
    return " ".join((*sentences[:place], premise, *sentences[place:]))


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


def rate_at(done: float, recipe: Mapping[str, Any]) -> float:
    """The learning rate when *done* (0 to 1) of all steps are done: it rises, stays, and falls to zero."""
    falls = recipe["falls_from"]
    return float(recipe["rate"] * min(1.0, (done + 1e-3) / 0.03, (1.0 - done) / (1.0 - falls)))


def train(model: Any, tokenizer: Any, recipe: Mapping[str, Any], data: Path, out: Path) -> dict[str, torch.Tensor]:
    """Train *model* by *recipe*; the mean of its weights over the last part of the steps. Checkpoints lie in *out*."""
    trained = {name: p for name, p in model.named_parameters() if p.requires_grad}
    optimiser = torch.optim.AdamW(trained.values(), lr=recipe["rate"], weight_decay=0.01, fused=True)
    saved, begun, loss_now = out / "training.pt", time.monotonic(), None
    kept: dict[str, Any] = torch.load(saved, weights_only=True) if saved.is_file() else {}
    if kept:
        model.load_state_dict(kept["model"])
        optimiser.load_state_dict(kept["optimiser"])
    mean, n_averaged = kept.get("mean", {}), kept.get("n_averaged", 0)
    model.train()
    for number in range(kept.get("pass", 0), recipe["passes"]):
        rng = random.Random(f"{recipe['seed']}/{number}/order")
        torch.manual_seed(recipe["seed"] + number)
        items = epoch_items(recipe, data, number)
        encoded = encode(tokenizer, items, recipe["longest"])
        plan = batches([len(row) for row in encoded["input_ids"]], recipe["tokens_a_batch"], rng)
        for step in range(kept.get("step", 0) if number == kept.get("pass", 0) else 0, len(plan)):
            done = (number + step / len(plan)) / recipe["passes"]
            for group in optimiser.param_groups:
                group["lr"] = rate_at(done, recipe)
            batch = plan[step]
            loss = loss_of(model, tokenizer, encoded, items, batch)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained.values(), 1.0)
            optimiser.step()
            loss_now = loss.item() if loss_now is None else 0.97 * loss_now + 0.03 * loss.item()
            if done >= recipe["averaged_from"] and step % 10 == 0:
                n_averaged += 1
                for name, own in trained.items():
                    before = mean.get(name, torch.zeros_like(own))
                    mean[name] = before + (own.detach() - before) / n_averaged
            if step % 25 == 0:
                print(f"{number}: {step}/{len(plan)} loss {loss_now:.3f} {time.monotonic() - begun:.0f} s", flush=True)
            if (step + 1) % recipe["checkpoint_every"] == 0 or step + 1 == len(plan):
                whole = step + 1 == len(plan)
                place = {"pass": number + whole, "step": 0 if whole else step + 1}
                states = {"model": model.state_dict(), "optimiser": optimiser.state_dict()}
                torch.save({**states, **place, "mean": mean, "n_averaged": n_averaged}, saved)
    return mean


def encode(tokenizer: Any, items: Sequence[Item], longest: int) -> dict[str, list[list[int]]]:
    """Token ids (and types, where the tokenizer gives them) of each item, the premise with its numbers read out."""
    premises, hypotheses = [read_out(item.premise) for item in items], [item.hypothesis for item in items]
    return dict(tokenizer(premises, hypotheses, truncation="only_first", max_length=longest))


def loss_of(
    model: Any, tokenizer: Any, encoded: Mapping[str, Any], items: Sequence[Item], batch: Sequence[int]
) -> torch.Tensor:
    """The weighted mean loss of the items at the positions *batch*."""
    width = max(len(encoded["input_ids"][i]) for i in batch)
    fill = {"input_ids": tokenizer.pad_token_id}
    features = {name: _padded([rows[i] for i in batch], width, fill.get(name, 0)) for name, rows in encoded.items()}
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits = model(**features).logits
    targets, weights = (torch.tensor([items[i][place] for i in batch]) for place in (2, 3))
    losses = torch.nn.functional.cross_entropy(logits.float(), targets, reduction="none", label_smoothing=0.05)
    return (losses * weights).mean()


def _padded(rows: Sequence[Sequence[int]], width: int, fill: int) -> torch.Tensor:
    return torch.tensor([[*row, *[fill] * (width - len(row))] for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--data", type=Path, required=True, help="folder of the development data")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    recipe = tomllib.loads(options.recipe.read_text(encoding="utf-8"))
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    folder = starting_weights(recipe["start"], options.out)
    kept = Kept.at(str(folder))
    tokenizer = AutoTokenizer.from_pretrained(folder if kept is None else kept.place(), trust_remote_code=False)
    model = load_classifier(str(folder), torch.float32)
    setattr(model.config, READS_PASSAGES_KEY, True)
    # Without dropout of attention, and by plain matrix products, training is four times as fast on a processor.
    if kept is None:
        model.set_attn_implementation("eager")
    for module in model.modules():
        if "SelfAttention" in type(module).__name__:
            module.dropout = torch.nn.Dropout(0.0)
    for key, parameter in model.named_parameters():
        parameter.requires_grad = not any(part in key for part in recipe["frozen"])
    read_first_token_only(model)
    mean = train(model, tokenizer, recipe, options.data, options.out)
    model.load_state_dict(mean, strict=False)
    if "averaged_with" in recipe:
        other = starting_weights(recipe["averaged_with"], options.out / "averaged_with")
        theirs = load_classifier(str(other), torch.float32).state_dict()
        share = recipe["averaged_with"]["share"]
        model.load_state_dict({key: torch.lerp(own, theirs[key], share) for key, own in model.state_dict().items()})
    model.eval()
    if kept is None:
        write_layers(model, model_folder(recipe["embeddings"]), recipe["embeddings"], options.out / "model")
    else:
        write_difference(model, kept, options.out / "model")
    (options.out / "model" / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

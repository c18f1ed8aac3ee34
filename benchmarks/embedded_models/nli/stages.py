"""The stages of a recipe, each in a folder of its own that is gone on from or used as it is."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer

from benchmarks.embedded_models.nli import fitting
from benchmarks.embedded_models.nli.blind import BLIND
from benchmarks.embedded_models.nli.calibrate import calibrate
from benchmarks.embedded_models.nli.card import tables
from benchmarks.embedded_models.nli.data import Pair, read_jsonl
from benchmarks.embedded_models.nli.export import WEIGHTS, write_difference, write_layers
from benchmarks.embedded_models.nli.measure import measure, readers, sampled
from benchmarks.embedded_models.nli.mixture import epoch_pairs, read_pairs, write_pairs
from benchmarks.embedded_models.nli.recipe import HERE, Recipe, stage_folder
from benchmarks.embedded_models.nli.tasks import CLASSES, TASKS
from benchmarks.embedded_models.nli.taught import ask, read_judged
from benchmarks.embedded_models.nli.unlabelled import unlabelled_pairs

from fas.models.difference import FILE
from fas.models.nli import NliModel
from fas.models.paths import EMBEDDED, model_folder
from fas.models.trunks import file_sha256

FITTING = ("fitting.py",)
# What decides the pairs.
MAKING = (
    *("mixture.py", "taught.py", "data.py", "sets.toml", "abstracts.py", "claim_forms.py", "perturb.py"),
    *("perturb_rules.py", "phrases.py", "aims.py", "negations.py", "qualifiers.py", "asides.py", "enumerations.py"),
    *("small_words.py", "synonyms.py", "experts.py", "near_misses.py"),
    *(str(file.relative_to(HERE)) for folder in ("comparisons/*.py", "words/*.toml") for file in HERE.glob(folder)),
)
TEACHING = (
    *("taught.py", "unlabelled.py", "data.py", "abstracts.py", "claim_forms.py", "perturb.py"),
    *("phrases.py", "words/perturb.toml"),
)
CALIBRATING = ("calibrate.py", "tasks.py", *MAKING)
MEASURING = (
    *("measure.py", "tasks.py", "blind.py", "blind_by_hand.tsv", "pairs_by_hand.tsv", "aims.py", "synonyms.py"),
    "words/synonyms.toml",
)


class Stages:
    """A recipe at work.

    Args:
        recipe: The recipe.
        data: Folder of the development data, above `train`.
        trunk: Folder of the trunk's weights and tokenizer.
        out: Where the stages' folders lie.

    Raises:
        ValueError: The trunk is not the recipe's.
    """

    def __init__(self, recipe: Recipe, data: Path, trunk: Path, out: Path) -> None:
        found, wanted = file_sha256(trunk / "model.safetensors"), recipe["trunk"]["sha256"]
        if found != wanted:
            raise ValueError(f"{trunk}: the weights have sha256 {found}, the recipe wants {wanted}")
        self.recipe, self.data, self.trunk, self.out = recipe, data, trunk, out
        self.tokenizer = AutoTokenizer.from_pretrained(trunk)
        self.taught = self._taught()
        judged = HERE / "judged.npz"
        config = [recipe["seed"], recipe["mixture"], [recipe[stage]["characters"] for stage in ("hold", "decay")]]
        taught = [self.taught.name] if self.taught else []
        self.pairs = stage_folder(out, "pairs", config, MAKING, [file_sha256(judged), *taught])
        rule = recipe["training"]
        # A longer first stage goes through the same weights as a shorter one, so its length is not part of its name.
        config = [recipe["trunk"], rule, recipe["seed"], recipe["hold"]["longest"]]
        self.hold = stage_folder(out, "hold", config, FITTING, [wanted, self.pairs.name])
        self.decay = stage_folder(out, "decay", [recipe["hold"]["steps"], recipe["decay"]], FITTING, [self.hold.name])
        self.model = stage_folder(out, "model", recipe["name"], ("export.py",), [self.decay.name])

    def _taught(self) -> Path | None:
        """The folder of what a teacher says of unlabelled pairs, where the recipe has one."""
        if (rule := self.recipe.config.get("teacher")) is None:
            return None
        teacher = model_folder(rule["name"]) if rule["name"] in EMBEDDED else Path(rule["name"])
        weights = [file_sha256(file) for file in sorted(teacher.glob("*.safetensors"))]
        return stage_folder(self.out, "taught", [rule, self.recipe["seed"]], TEACHING, weights)

    def teach(self) -> Path | None:
        """Unlabelled pairs with what the teacher says of them; their folder, if there is a teacher."""
        if self.taught is None or (self.taught / "pool.jsonl.gz").exists():
            return self.taught
        rule, asked = self.recipe["teacher"], self.taught / "asked.jsonl.gz"
        if not asked.exists():
            write_pairs(asked, unlabelled_pairs(self.data, seed=self.recipe["seed"])[: rule["pairs"]])
        found = ask(NliModel(rule["name"]), read_pairs(asked), self.taught)
        write_pairs(self.taught / "pool.jsonl.gz", found)
        return self.taught

    def classifier(self) -> torch.nn.Module:
        """The model before training."""
        own, rule = self.recipe["trunk"], self.recipe["training"]
        return fitting.classifier(
            self.trunk, frozen=own["frozen"], seed=self.recipe["seed"], reads_out=rule["reads_out"]
        )

    def batches(self, stage: str, step: int) -> Iterator[fitting.Batch]:
        """The batches of an epoch of *stage* that begins at *step*; its pairs are made once."""
        rule, own = self.recipe["training"], self.recipe[stage]
        seed = self.recipe["seed"] + step + (stage == "decay")
        file = self.pairs / f"{stage}-{step}.jsonl.gz"
        if not file.exists():
            judged = read_judged(HERE / "judged.npz")
            counts = self.recipe.counts(stage)
            pool = read_pairs(self.taught / "pool.jsonl.gz") if self.taught and "unlabelled" in counts else []
            made = epoch_pairs(
                self.data / "train", counts, seed=seed, characters=own["characters"], judged=judged, pool=pool
            )
            write_pairs(file, made)
        pairs = read_pairs(file)
        print(f"{stage} from step {step}: {len(pairs)} pairs", flush=True)
        return fitting.batches(
            pairs,
            self.tokenizer,
            max_tokens=rule["tokens_a_batch"],
            longest=own["longest"],
            rng=random.Random(seed),
            reads_out=rule["reads_out"],
        )

    def _go(self, run: fitting.Run, stage: str, until: int, rate_at: Callable[[int], float]) -> Path:
        """Train *run* until step *until* with the batches of *stage*; its folder."""
        rule = self.recipe["training"]
        looked_at = watched(self.data, self.tokenizer, rule["reads_out"])
        run.go(
            until,
            lambda step: self.batches(stage, step),
            rate_at,
            rule["checkpoint_every"],
            lambda model: accuracy(model, looked_at),
        )
        return run.folder

    def train(self) -> Path:
        """The first training stage, at one rate; its folder."""
        rule, steps = self.recipe["training"], self.recipe["hold"]["steps"]
        if (self.decay / "last.pt").exists():
            return self.hold
        run = fitting.Run(self.classifier(), self.hold, rate=rule["rate"])
        if run.step > steps:
            raise ValueError(f"{self.hold} is at step {run.step}, beyond the recipe's {steps}: begin it anew")
        return self._go(run, "hold", steps, lambda step: fitting.held(step, rule["warm_up"]))

    def settle(self) -> Path:
        """The second, at a rate that falls to zero; its folder."""
        steps = self.recipe["hold"]["steps"]
        run = fitting.Run(self.classifier(), self.decay, rate=self.recipe["training"]["rate"])
        if run.step < steps:
            run.load(self.hold / "last.pt")
            if run.step != steps:
                raise ValueError(f"{self.hold} is at step {run.step}, the recipe wants {steps}")
            run.epoch_began = run.step
        last = steps + self.recipe["decay"]["steps"]
        return self._go(run, "decay", last, lambda step: fitting.falling(step, steps, last))

    @property
    def weights(self) -> Path:
        """The file that is kept of the model: its own layers over an embedded trunk, else the difference to the trunk."""
        return self.model / (WEIGHTS if self.recipe["trunk"]["name"] in EMBEDDED else FILE)

    def export(self) -> Path:
        """The model as the package keeps it; its folder."""
        if not self.weights.exists():
            model, own = self.classifier(), self.recipe["trunk"]
            state = torch.load(self.decay / "last.pt", weights_only=True)
            model.load_state_dict(state["weights"], strict=False)
            if self.weights.name == WEIGHTS:
                size = write_layers(model, self.trunk, own["name"], self.model)
            else:
                size = write_difference(model, self.trunk, own["name"], own["sha256"], self.model)
            print(f"{self.model.name}: {size / 1e6:.1f} MB", flush=True)
        return self.model

    def calibrate(self) -> Path:
        """The calibrator beside the difference, and what it reached out of fold."""
        rule = self.recipe["calibration"]
        inputs = [self.model.name, file_sha256(self.weights)]
        folder = stage_folder(self.out, "calibration", rule, CALIBRATING, inputs)
        kept = folder / "calibrator.json"
        if not kept.exists():
            most = rule["pairs_a_set"]
            found = calibrate(self.model, self.data, folder / "rows.npz", seed=self.recipe["seed"], most=most)
            (folder / "out_of_fold.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            kept.write_bytes((self.model / "calibrator.json").read_bytes())
        (self.model / "calibrator.json").write_bytes(kept.read_bytes())
        return folder

    def measure(self, beside: list[str]) -> Path:
        """Measure the model and those *beside* it on every task; the folder with the results."""
        rule = self.recipe["measuring"]
        inputs = [file_sha256(self.weights), file_sha256(self.model / "calibrator.json"), *beside]
        folder = stage_folder(self.out, "results", rule, MEASURING, inputs)
        seed, every = self.recipe["seed"], {**TASKS, **BLIND}
        left = [name for name in rule["tasks"] if not (folder / f"{name}.json").exists()]
        verifiers = readers([str(self.model), *beside]) if left else {}
        for name in left:
            items = sampled(every[name](self.data), rule["pairs_a_task"], seed)
            found, kept = measure(verifiers, name, items, seed)
            np.savez_compressed(folder / f"{name}.npz", **kept)
            (folder / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
            print(name, json.dumps(found), flush=True)
        results = {name: json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in rule["tasks"]}
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        out_of_fold = json.loads((self.calibrate() / "out_of_fold.json").read_text(encoding="utf-8"))
        text = tables(results, out_of_fold, [self.model.name, *beside])
        (folder / "results.md").write_text(text, encoding="utf-8")
        return folder


def watched(data: Path, tokenizer: object, reads_out: bool) -> list[fitting.Batch]:
    """400 pairs of Ling-in-the-Loop's train part, which trains nothing, to see how a run goes; none where they are not."""
    file = data / "train/ling_in_loop/ling_in_loop.jsonl.gz"
    rows = [r for r in read_jsonl(file) if r["split"] == "train"] if file.exists() else []
    rows = random.Random(0).sample(rows, min(400, len(rows)))
    pairs = [Pair(str(r["premise"]), str(r["hypothesis"]), CLASSES.index(str(r["label"]))) for r in rows]
    made = fitting.batches(pairs, tokenizer, max_tokens=4096, longest=128, rng=random.Random(0), reads_out=reads_out)
    return list(made)


def accuracy(model: torch.nn.Module, batches: list[fitting.Batch]) -> dict[str, float]:
    """How many of the pairs are judged right, as a share."""
    right = n = 0
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for features, targets, _ in batches:
            right += int((model(**features).logits.argmax(-1) == targets[:, :3].argmax(-1)).sum())
            n += len(targets)
    return {"ling_train": round(right / n, 4)} if n else {}

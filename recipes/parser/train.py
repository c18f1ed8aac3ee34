"""Train the parser: one command, seeded, resumable.

    python -m recipes.parser.vectors --out VECTORS.npz
    python -m recipes.parser.train --config recipes/parser/mini.cfg --vectors VECTORS.npz --craft-share 0.3 --out RUN --minutes 42
    python -m recipes.parser.train --config recipes/parser/mini.cfg --start fas/models/fas_en_mini --craft-share 0.3 --out RUN --minutes 42

Every `--every` steps the model is measured on parts of EWT dev and CRAFT dev and written to RUN/last together with the
state of the run; the same command goes on from there (with a fresh order of the data). The best model by
(EWT dev LAS + sentence F1 / 4 + CRAFT dev tags / 2) is RUN/best.

With `--start` the weights of a trained folder are the first ones; what its pipeline does not have (the sentence
component, the parser's further state features) begins at nothing.

The learning rate falls with time or steps, whichever is further on, so that a run ends well within `--minutes` on any
machine; give `--steps` for a run that does not depend on the clock.
"""

import argparse
import json
import pickle
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import spacy
from recipes.parser.augment import Rates, augment, groups, to_example
from recipes.parser.convert import to_ud
from spacy.attrs import ORTH
from spacy.training import Example
from spacy.util import fix_random_seed, load_config  # type: ignore[attr-defined]
from recipes.parser.statements import statements
from thinc.api import Adam, get_current_ops
from recipes.parser.treebanks import Sentence, craft, ewt
from recipes.parser.vectors import save_pipeline

from recipes.parser.evaluate_parser import measure

ANSWER_LIKE = Rates(lower=0.06, items=0.06, bold=0.06, drop_stop=0.06, line_break=0.02, paragraph=0.15)
"""Line breaks are rare: the claim extractor takes them out before it parses, so a boundary must be found without one."""

STATE_FEATURES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 7: 5, 5: 6, 6: 7}
"""Place of a token of the parser's state among the 13 of `extra_state_tokens`: its place among the 8 (spaCy's _state.pxd)."""


def blank(config: Path, vectors: Path | None) -> Any:
    """The untrained pipeline: tokenizer without per-token norms, so that given and found tokens look the same."""
    nlp = spacy.util.load_model_from_config(load_config(config), auto_fill=True)
    nlp.tokenizer.rules = {k: [{ORTH: part[ORTH]} for part in v] for k, v in nlp.tokenizer.rules.items()}  # type: ignore[union-attr]
    if vectors is not None:
        from spacy.vectors import Vectors

        table = np.load(vectors)
        nlp.vocab.vectors = Vectors(
            strings=nlp.vocab.strings,
            data=table["data"].astype(np.float32),
            keys=table["keys"],
            name="fas-en-mini",
            attr="LOWER",
        )
    return nlp


def initialize(nlp: Any, start: Any | None, examples: Any, optimizer: Any) -> None:
    """Give the pipeline its labels and first weights: random ones, or those of the pipeline ``start``."""
    with tempfile.TemporaryDirectory() as folder:
        if start is not None:
            nlp.vocab.vectors = start.vocab.vectors
            for name in ("tagger", "parser", "lemmatizer"):
                # Labels travel in files: a config cannot hold keys that differ in case only.
                path = Path(folder) / f"{name}.json"
                path.write_text(json.dumps(start.get_pipe(name).label_data), encoding="utf-8")
                reader = {"@readers": "spacy.read_labels.v1", "path": str(path)}
                nlp.config["initialize"]["components"][name] = {"labels": reader}
        nlp.initialize(examples, sgd=optimizer)
    nlp.config["initialize"]["components"] = {}
    if start is None:
        return
    for name in start.pipe_names:
        new, old = nlp.get_pipe(name), start.get_pipe(name)
        if name == "parser" and new.cfg.get("nF", 0) != old.model.get_ref("lower").get_dim("nF"):
            _widen(new.model, old.model)
        else:
            new.model.from_bytes(old.model.to_bytes())


def _widen(new: Any, old: Any) -> None:
    """Copy the weights of a parser that sees 8 tokens of its state into one that sees 13; the further 5 start at zero."""
    pairs = [(a, b) for a, b in zip(new.walk(), old.walk(), strict=True)]
    for a, b in pairs:
        assert a.name == b.name, (a.name, b.name)
        for param in b.param_names:
            if not b.has_param(param):
                continue
            value = b.get_param(param)
            if a.get_param(param).shape == value.shape:
                a.set_param(param, value.copy())
                continue
            axis = 0 if param == "W" else 1
            wide = np.zeros_like(a.get_param(param))
            for to, place in STATE_FEATURES.items():
                wide[(slice(None),) * axis + (to,)] = value[(slice(None),) * axis + (place,)]
            a.set_param(param, wide)


def stream(
    sources: list[tuple[list[Sentence], float]], vocab: Any, rng: random.Random, rates: Rates, words: list[float]
) -> Any:
    """Yield batches of at least ``words[0]`` words for ever; sources are drawn by their shares, as runs of sentences."""
    pools: list[list[list[Sentence]]] = [[] for _ in sources]
    shares = [share for _, share in sources]
    while True:
        batch: list[Example] = []
        size = 0
        while size < words[0]:
            i = rng.choices(range(len(sources)), shares)[0]
            if not pools[i]:
                pools[i] = list(groups(sources[i][0], rng, 10))
                rng.shuffle(pools[i])
            group = augment(pools[i].pop(), rng, rates)
            batch.append(to_example(vocab, group))
            size += sum(len(s.words) for s in group)
        yield batch


def everything(
    sources: list[tuple[list[Sentence], float]], vocab: Any, rng: random.Random, rates: Rates
) -> list[Example]:
    """All sources once, for the components to collect their labels from."""
    return [to_example(vocab, augment(g, rng, rates)) for s, _ in sources for g in groups(s, rng, 10)]


def main() -> int:
    """Run the training; see the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--vectors", type=Path)
    parser.add_argument("--start", type=Path, help="a trained folder to take labels, vectors and first weights from")
    parser.add_argument("--craft-share", type=float, default=0.0, help="share of documents drawn from CRAFT")
    parser.add_argument("--made-share", type=float, default=0.0, help="share of documents drawn from statements.py")
    parser.add_argument("--plain", action="store_true", help="no augmentation (the baseline)")
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument(
        "--minutes", type=float, default=1e9, help="stop after so much wall-clock time; measured like the end"
    )
    parser.add_argument("--every", type=int, default=500)
    parser.add_argument(
        "--words", type=int, default=1000, help="words in a batch at the end; less than half of it at first"
    )
    parser.add_argument("--rate", type=float, default=0.0015)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    fix_random_seed(args.seed)
    get_current_ops().use_blis = False  # type: ignore[attr-defined]  # numpy's BLAS is the faster one on CPUs with AVX-512
    gold = ewt("train")
    sources: list[tuple[list[Sentence], float]] = [(gold, 1.0)]
    if args.craft_share:
        bio = [tree for s in craft("train") if (tree := to_ud(s)) is not None]
        sources = [(gold, 1.0 - args.craft_share), (bio, args.craft_share)]
    if args.made_share:
        made = statements("train", 6000, args.seed)
        sources = [*((each, share * (1.0 - args.made_share)) for each, share in sources), (made, args.made_share)]
    rates = Rates() if args.plain else ANSWER_LIKE
    nlp = blank(args.config, args.vectors)
    optimizer = Adam(args.rate, L2=0.01, beta1=0.9, beta2=0.999, grad_clip=1.0, use_averages=True)
    start = spacy.load(args.start) if args.start else None
    initialize(nlp, start, lambda: everything(sources, nlp.vocab, random.Random(args.seed), rates), optimizer)
    print(f"{sum(len(s.words) for s, _ in sources for s in s):,} words; {len(nlp.get_pipe('parser').labels)} labels,"  # type: ignore[attr-defined]
          f" {len(nlp.get_pipe('tagger').labels)} tags, {len(nlp.get_pipe('lemmatizer').labels)} edit trees", flush=True)  # fmt: skip

    last, best, log = args.out / "last", args.out / "best", args.out / "log.jsonl"
    step, top, used = 0, -1.0, 0.0
    rng = random.Random(args.seed)
    if (args.out / "state.pickle").exists():
        nlp.from_disk(last)
        state = pickle.loads((args.out / "state.pickle").read_bytes())
        step, top, used = state["step"], state["top"], state["used"]
        rng = random.Random(args.seed * 1000003 + step)
        optimizer.mom1, optimizer.mom2, optimizer.averages = state["mom1"], state["mom2"], state["averages"]
        optimizer.nr_update, optimizer.last_seen = state["nr_update"], state["last_seen"]
        print(f"going on from step {step}", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    # Half of EWT dev and some of CRAFT dev are enough to watch by; evaluate_parser.py reports the whole.
    dev_ewt, dev_craft, dev_made = ewt("dev")[:1000], craft("dev")[:300], statements("dev", 300, 7)
    size = [0.4 * args.words]
    batches = stream(sources, nlp.vocab, rng, rates, size)
    started, seen, since = time.time(), 0, time.time()
    warm = 50
    while step < args.steps:
        step += 1
        progress = max(step / args.steps, (used + time.time() - started) / 60 / args.minutes)
        optimizer.learn_rate = (
            args.rate * min(1.0, step / warm) * max(0.02, 0.5 * (1 + np.cos(np.pi * min(1.0, progress))))
        )
        size[0] = args.words * min(1.0, 0.4 + progress)
        batch = next(batches)
        losses: dict[str, float] = {}
        nlp.update(batch, drop=args.dropout, sgd=optimizer, losses=losses)
        seen += sum(len(e.reference) for e in batch)
        done = step == args.steps or progress >= 1.0
        if step % 25 == 0:
            speed = seen / (time.time() - since)
            print(f"\rstep {step} {progress:.0%} {speed:,.0f} words/s " + " ".join(f"{k} {v / len(batch):.1f}" for k, v in losses.items()),
                  end="", file=sys.stderr, flush=True)  # fmt: skip
        if step % args.every == 0 or done:
            with nlp.use_params(optimizer.averages):
                scores = {**measure(nlp, dev_ewt, "ewt"), **measure(nlp, dev_craft, "craft", trees=False)}
                scores |= measure(nlp, dev_made, "made")
                value = scores["ewt_las"] + scores["ewt_sent_f"] / 4 + scores["craft_tag"] / 2
                if value > top:
                    top = value
                    shutil.rmtree(best, ignore_errors=True)
                    save_pipeline(nlp, best)
            row = {"step": step, "minutes": round((used + time.time() - started) / 60, 1), "words": seen, **scores}
            print("\n" + json.dumps(row), flush=True)
            with log.open("a") as file:
                file.write(json.dumps(row) + "\n")
            save_pipeline(nlp, last)
            state = {"step": step, "top": top, "used": used + time.time() - started, "mom1": optimizer.mom1, "mom2": optimizer.mom2,
                     "averages": optimizer.averages, "nr_update": optimizer.nr_update, "last_seen": optimizer.last_seen}  # fmt: skip
            (args.out / "state.pickle").write_bytes(pickle.dumps(state))
        if done:
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())

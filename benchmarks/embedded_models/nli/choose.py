"""What weights are chosen by: sets that are neither trained on nor reported.

    python choose.py --data ../../../../shared/data --models runs/base runs/averaged/all

The cross-encoder alone, premises whole. Columns: accuracy on 6,000 pairs of Ling-in-the-Loop's train part; macro-F1 on
Check-COVID's evidence sentences outside its train part; share of made comparisons in words and in numbers, of those with
one group in the claim, of made trial records, of `small_words`, of `enumerations` (`listed`) and of `couples` (one result,
ten couples of treatments or groups) that are pointed the right way; of those of `small_words` that say two things of one
drug (`apart`), and of `enumerations` that say nothing of the claim (`unlisted`), the share that is called neutral; of
sentences from held-out abstracts with a reservation behind them, the share that is called contradicted and, turned by a
rule, the share that is. With `--nli4ct` accuracy and AUROC on NLI4CT's train part (both classes even), too, which takes
longer than all else.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.metrics import f1_score, roc_auc_score
from tasks import CLASSES, Item, read_items

from comparisons import comparison_pairs
from data import Pair
from enumerations import enumeration_pairs
from fas.models.nli import NliModel
from perturb import CONTRADICTION, ENTAILMENT, NEUTRAL, perturbed_with_kinds
from small_words import small_word_pairs
from trials import trial_pairs

SEED = 7
COUPLES = (
    ("apixaban", "warfarin"), ("aspirin", "clopidogrel"), ("metformin", "insulin"), ("drug A", "drug B"), ("group 1", "group 2"),
    ("tocilizumab", "placebo"), ("surgery", "medication"), ("linagliptin", "glimepiride"), ("warfarin", "apixaban"), ("placebo", "aspirin"),
)  # fmt: skip
# None of them is among the reservations of `asides`.
RESERVATIONS = (
    " It does not prevent every case.", "; no trial has been long enough to tell what happens afterwards.", " This is not a reason to skip vaccination.",
    ", but it never acts alone.", " Nobody should take it without asking a doctor.", "; blood pressure was unchanged.",
    " However, hospital stays were no shorter.", ", although mortality did not differ.",
)  # fmt: skip


def couples() -> list[Pair]:
    """One result about bleeding, told of ten couples, and eight claims about each."""
    found = []
    for one, two in COUPLES:
        for first, second in ((9.2, 11.3), (11.3, 9.2)):
            premise = f"Bleeding occurred in {first}% with {one} and {second}% with {two}."
            for a, b, less in ((one, two, first < second), (two, one, second < first)):
                for claim, says_less in (
                    (f"Bleeding was less common with {a} than with {b}.", True),
                    (f"Bleeding was more common with {a} than with {b}.", False),
                    (f"{a[0].upper()}{a[1:]} caused less bleeding than {b}.", True),
                    (f"There was more bleeding with {a} than with {b}.", False),
                ):
                    found.append(Pair(premise, claim, ENTAILMENT if says_less == less else CONTRADICTION))
    return found


def reserved(root: Path, n: int = 400) -> Iterator[Pair]:
    """*n* entailed and *n* contradicted pairs of the rules, from held-out abstracts, each with a reservation behind its premise."""
    rng = random.Random(SEED)
    kept = {ENTAILMENT: n, CONTRADICTION: n}
    for pair, _ in perturbed_with_kinds(root / "train", split="dev", seed=SEED):
        if kept.get(pair.label, 0) and pair.premise.endswith(".") and len(pair.premise) < 450:
            kept[pair.label] -= 1
            reservation = rng.choice(RESERVATIONS)
            premise = pair.premise if reservation.startswith(" ") else pair.premise.removesuffix(".")
            yield Pair(premise + reservation, pair.hypothesis, pair.label)


def _gold(items: list[Item]) -> np.ndarray:
    return np.array([CLASSES.index(item.label) for item in items])


def chosen_by(model: NliModel, root: Path, nli4ct: bool) -> dict[str, float]:
    """Every column for one set of weights."""

    def said(pairs: list[Item] | list[Pair]) -> np.ndarray:
        return model.logits([(pair.premise, pair.hypothesis) for pair in pairs])

    def right_way(pairs: list[Pair]) -> float:
        pairs = [pair for pair in pairs if pair.label in (ENTAILMENT, CONTRADICTION)]
        logits = said(pairs)
        return float(np.mean((logits[:, 0] > logits[:, 2]) == [pair.label == ENTAILMENT for pair in pairs]))

    ling = read_items(root, "train/ling_in_loop/ling_in_loop.jsonl.gz", splits=("train",))
    random.Random(SEED).shuffle(ling)
    ling = ling[:6000]
    covid = read_items(root, "train/check_covid/check_covid.jsonl.gz", splits=("dev", "test"), levels=("evidence",))
    aside, made = list(reserved(root)), small_word_pairs(600, seed=-9)
    listed = enumeration_pairs(600, seed=-10)
    apart, unlisted = ([pair for pair in pairs if pair.label == NEUTRAL] for pairs in (made, listed))
    of_aside, truth = said(aside).argmax(axis=1), np.array([pair.label for pair in aside])
    found = {
        "ling": float((said(ling).argmax(axis=1) == _gold(ling)).mean()),
        "check_covid": float(f1_score(_gold(covid), said(covid).argmax(axis=1), average="macro")),
        "words": right_way(comparison_pairs(300, seed=-5, worded=1, alone=0)),
        "numbers": right_way(comparison_pairs(400, seed=-6, worded=0, alone=0)),
        "one_group": right_way(
            [pair for worded in (0, 1) for pair in comparison_pairs(300, seed=-8, worded=worded, alone=1)]
        ),
        "trials": right_way(trial_pairs(300, seed=-7)),
        "small_words": right_way(made),
        "apart": float((said(apart).argmax(axis=1) == NEUTRAL).mean()),
        "listed": right_way(listed),
        "unlisted": float((said(unlisted).argmax(axis=1) == NEUTRAL).mean()),
        "couples": right_way(couples()),
        "reserved_denied": float((of_aside[truth == ENTAILMENT] == CONTRADICTION).mean()),
        "reserved_turned": float((of_aside[truth == CONTRADICTION] == CONTRADICTION).mean()),
    }
    if nli4ct:
        trials = read_items(root, "train/nli4ct/nli4ct_pairs.jsonl.gz")
        logits = said(trials)
        margin, entailed = logits[:, 0] - logits[:, 2], _gold(trials) == 0
        found |= {
            "nli4ct": float(((margin > 0) == entailed).mean()),
            "nli4ct_auroc": float(roc_auc_score(entailed, margin)),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--models", nargs="+", required=True)
    parser.add_argument("--nli4ct", action="store_true", help="measure NLI4CT's train part, too")
    options = parser.parse_args()
    for n, name in enumerate(options.models):
        found = chosen_by(NliModel(name, precision="fp32"), options.data, options.nli4ct)
        if n == 0:
            print("| weights | " + " | ".join(found) + " |\n|---|" + "--:|" * len(found))
        print(
            f"| {'/'.join(Path(name).parts[-2:])} | " + " | ".join(f"{value:.3f}" for value in found.values()) + " |",
            flush=True,
        )


if __name__ == "__main__":
    main()

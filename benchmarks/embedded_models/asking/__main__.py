"""Learn which phrases tell that a sentence asks and states no finding (`fas/text/asking.tsv`).

    python -m benchmarks.embedded_models.asking --data DATA

Labels are free. What stands under OBJECTIVE, AIM, PURPOSE or HYPOTHESIS in a structured abstract asks, and so does a sentence of any abstract
that a phrase of `nli/aims.py` tells and that reports nothing, and a question; what stands under RESULTS, METHODS or CONCLUSIONS states, and so do
premises of general fact checking. Claims of abstracts behind words of either kind come beside them. Documents are split by a hash of
their ids; the part that trains nothing chooses the penalty and the threshold. No sentence of a set that measures is read.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from benchmarks.embedded_models.nli import aims
from benchmarks.embedded_models.nli.abstracts import documents, sentences_of, split_of
from benchmarks.embedded_models.nli.data import read_jsonl
from benchmarks.embedded_models.nli.perturb import claims_of

from fas.text.asking import phrases

ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "fas/text/asking.tsv"
RESULT = Path(__file__).parent / "result.json"
# Inverse strength of the L1 penalty: the smaller, the fewer phrases.
PENALTIES = (0.03, 0.1, 0.3)
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
# A phrase stands in so many sentences at least.
LEAST = 12
_SECTION = re.compile(r"ABSTRACT\.([A-Z][A-Z ,/&-]*):\s")
_ASKS = re.compile(r"OBJECTIVE|AIM|PURPOSE|GOAL|HYPOTHES|QUESTION")
_STATES = re.compile(r"RESULT|FINDING|CONCLUSION|INTERPRET|METHOD|DISCUSSION|MEASURE")
# Words of an aim that stand in other sentences as well; all that hold one are taken, so that no such word decides alone.
_HARD = re.compile(
    r"\b(?:whether|if|aim\w*|goal\w*|purpose\w*|objective\w*|hypothes\w+|determin\w+|unclear|unknown|remain\w*)\b", re.I
)
_GENERAL = ("fever_train_pairs", "vitaminc_real", "sufficient_facts", "fool_me_twice", "mnli_20k")

Row = tuple[str, bool, str]
"""A sentence, whether it asks, and the split of its document."""


def labelled(root: Path) -> Iterator[Row]:
    """Sentences of structured abstracts by the label they stand under; those in doubt are left out."""
    for row in read_jsonl(root / "evidence_inference/abstracts.jsonl.gz"):
        _, *parts = _SECTION.split(str(row["abstract"]))
        for label, text in zip(parts[::2], parts[1::2], strict=True):
            asks, states = bool(_ASKS.search(label)), bool(_STATES.search(label))
            for sentence in sentences_of(text):
                told, says = bool(aims._AIM.search(sentence)), bool(aims._SAYS.search(sentence))
                if (says and (told or asks)) or (asks == states and not told):
                    continue
                if told or asks or states:
                    if told and states:
                        continue
                    yield sentence, told or asks, split_of(f"ei:{row['pmcid']}")


def unlabelled(root: Path, split: str) -> Iterator[Row]:
    """Sentences of other abstracts that `nli/aims.py` knows for aims, and its own frames around claims, as many of either kind."""
    rng = random.Random(20261126)
    sources = []
    for document in documents(root, split):
        for sentence in document.sentences:
            if aims._AIM.search(sentence) and not aims._SAYS.search(sentence):
                yield sentence, True, split
        sources += claims_of(document)
    for source in rng.sample(sources, min(len(sources), 3000)):
        yield aims._said("asked", source.claim, rng), True, split
        if (question := aims.question(source.claim)) is not None:
            yield question, True, split
        yield aims._said("found", source.claim, rng), False, split


def general(root: Path, most: int = 4000) -> Iterator[Row]:
    """Premises of general sets that hold no phrase of an aim, a fifth of them for choosing."""
    for name in _GENERAL:
        (path,) = sorted((root / name).glob(f"{name}.jsonl.gz"))
        texts = list(dict.fromkeys(str(row["premise"]) for row in read_jsonl(path)))
        drawn = random.Random(20261126).sample(texts, min(most, len(texts)))
        drawn += [text for text in texts if _HARD.search(text)]
        for i, text in enumerate(dict.fromkeys(drawn)):
            for sentence in sentences_of(text)[:3]:
                if not aims._AIM.search(sentence) and "?" not in sentence:
                    yield sentence, False, "dev" if i % 5 == 0 else "train"


def rates(p: np.ndarray, asks: np.ndarray) -> dict[str, list[float]]:
    """By threshold the share of asking sentences that are found, and of others that are taken for such."""
    return {
        str(t): [round(float((p[asks] >= t).mean()), 4), round(float((p[~asks] >= t).mean()), 5)] for t in THRESHOLDS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("FAS_DATA_DIR", "../shared/data")))
    parser.add_argument("--penalty", type=float, default=0.1, help="the one whose table is written")
    options = parser.parse_args()
    root = options.data / "train"
    rows = [*labelled(root), *unlabelled(root, "train"), *unlabelled(root, "dev"), *general(root)]
    rows = list({sentence: (sentence, asks, split) for sentence, asks, split in rows}.values())
    parts = {split: [row for row in rows if row[2] == split] for split in ("train", "dev")}
    asks = {split: np.array([row[1] for row in part]) for split, part in parts.items()}
    count = CountVectorizer(analyzer=lambda text: sorted(phrases(text)), min_df=LEAST, binary=True)
    matrix = {
        split: (count.fit_transform if split == "train" else count.transform)([row[0] for row in part])
        for split, part in parts.items()
    }
    found = {"sentences": {split: [int(own.sum()), int((~own).sum())] for split, own in asks.items()}, "penalties": {}}
    for penalty in PENALTIES:
        model = LogisticRegression(
            l1_ratio=1, C=penalty, solver="liblinear", class_weight="balanced", max_iter=500, random_state=0
        )
        model.fit(matrix["train"], asks["train"])
        p = model.predict_proba(matrix["dev"])[:, 1]
        weights = model.coef_[0]
        found["penalties"][str(penalty)] = {"phrases": int((weights != 0).sum()), "rates": rates(p, asks["dev"])}
        print(penalty, found["penalties"][str(penalty)], flush=True)
        if penalty == options.penalty:
            named = sorted(
                (name, weight) for name, weight in zip(count.get_feature_names_out(), weights, strict=True) if weight
            )
            lines = [
                "phrase\tweight",
                f"\t{model.intercept_[0]:.4f}",
                *(f"{name}\t{weight:.4f}" for name, weight in named),
            ]
            TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
            wrong = [row[0] for row, own in zip(parts["dev"], p, strict=True) if own >= 0.9 and not row[1]]
            print(*wrong[:10], sep="\n")
    RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""How fast the reference metrics are beside the packages whose numbers they give.

    python -m benchmarks.speed.reference [--pairs 100] [--rounds 5] [--bert-pairs 40] [--bert-rounds 3]
        [--only rouge|bertscore]

Everything runs in one process. In every round the package and ours score the same fresh texts,
one after the other, in changing order, so that a busy machine disturbs both alike. Times are
processor time of this process; what counts are the ratios, given as median with the lowest and
the highest round. With `--store` the rows go to the page. Results are compared as well: a round whose numbers differ stops the run.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from benchmarks.speed.page import store
from benchmarks.stored import load, row

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

TYPES = ["rouge1", "rouge2", "rougeL"]
STEMS = ["cardi", "nephr", "hepat", "gastr", "neur", "derm", "hem", "pulmon", "ost", "my", "angi", "arthr", "cephal"]
ENDINGS = ["itis", "opathy", "ology", "al", "ic", "ectomy", "osis", "ation", "ed", "ing", "ive", "ity", "ous", "ally"]
COMMON = (
    "the of and in to a with was were for is that by on as at from or an be this are it which not than has been had "
    "patients treatment risk study trial group dose mg daily placebo outcome mortality compared significantly associated"
).split()


def abstract(rng: random.Random, n_words: int) -> str:
    """Text with the word frequencies, sentence lengths and punctuation of an abstract."""
    words: list[str] = []
    while len(words) < n_words:
        sentence = [
            rng.choice(COMMON)
            if rng.random() < 0.6
            else rng.choice(STEMS) + rng.choice(["", "o", "io"]) + rng.choice(ENDINGS)
            for _ in range(rng.randint(12, 28))
        ]
        sentence[0] = sentence[0].capitalize()
        if rng.random() < 0.5:
            sentence[len(sentence) // 2] += ","
        if rng.random() < 0.3:
            sentence.insert(-1, f"(HR {rng.random():.2f}; 95% CI 0.{rng.randint(10, 99)}-1.{rng.randint(10, 99)})")
        words += sentence
        words[-1] += "."
    return " ".join(words[:n_words])


def answer_to(reference: str, rng: random.Random) -> str:
    """A text that shares part of its words with *reference*."""
    words = reference.split()
    fresh = abstract(rng, len(words)).split()
    return " ".join(old if rng.random() < 0.5 else new for old, new in zip(words, fresh, strict=False))


class Comparison:
    """Ratios of one comparison, round by round."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.package: list[float] = []
        self.ours: list[float] = []

    def round(self, package: Callable[[], list[float]], ours: Callable[[], list[float]], *, tolerance: float) -> None:
        """Time both, in an order that changes from round to round."""
        results: dict[str, list[float]] = {}
        steps = [("package", package), ("ours", ours)]
        for name, step in steps if len(self.ours) % 2 else reversed(steps):
            begin = time.process_time()
            results[name] = step()
            getattr(self, name).append(time.process_time() - begin)
        worst = max(abs(a - b) for a, b in zip(results["package"], results["ours"], strict=True))
        if not worst <= tolerance:
            raise SystemExit(f"{self.name}: the numbers differ by {worst}")

    def row(self, n: int) -> dict[str, Any]:
        """A row of the results."""
        ratios = sorted(a / b for a, b in zip(self.package, self.ours, strict=True))
        medians = {
            "package_ms": round(1e3 * median(self.package) / n, 4),
            "ours_ms": round(1e3 * median(self.ours) / n, 4),
            "ratio": round(median(ratios), 2),
        }
        packages = ("bert-score", "transformers", "torch") if self.name.startswith("BERT") else ("rouge-score", "nltk")
        limits = {"lowest": round(ratios[0], 2), "highest": round(ratios[-1], 2)}
        return row("reference", self.name, n, medians, packages=packages, rounds=len(ratios), **limits, load=load())


def rouge(n: int, rounds: int, rng: random.Random) -> list[dict[str, Any]]:
    """ROUGE-1/2/L on pairs of 150 words."""
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize.treebank import TreebankWordTokenizer
    from rouge_score.rouge_scorer import RougeScorer

    from fas.reference.rouge import Rouge

    class Study:
        split, stem = TreebankWordTokenizer().tokenize, PorterStemmer().stem

        def tokenize(self, text: str) -> list[str]:
            return [self.stem(token) for token in self.split(text.lower())]

    rows: list[dict[str, Any]] = []
    kinds = {
        "ROUGE, `rouge_score` tokens": (RougeScorer(TYPES), {"tokenizer": "rouge_score"}),
        "ROUGE, `rouge_score` tokens, stemmed": (
            RougeScorer(TYPES, use_stemmer=True),
            {"tokenizer": "rouge_score", "use_stemmer": True},
        ),
        "ROUGE, `ptb` tokens": (RougeScorer(TYPES, tokenizer=Study()), {"tokenizer": "ptb"}),
    }
    for name, (package, options) in kinds.items():
        comparison, scorer = Comparison(name), Rouge(TYPES, **options)
        for _ in range(rounds):
            references = [abstract(rng, 150) for _ in range(n)]
            pairs = [(answer_to(reference, rng), reference) for reference in references]
            comparison.round(
                lambda pairs=pairs, package=package: [
                    s.fmeasure for a, b in pairs for s in package.score(b, a).values()
                ],
                lambda pairs=pairs, scorer=scorer: [s.f1 for a, b in pairs for s in scorer.score(a, b).values()],
                tolerance=0.0,
            )
        rows.append(comparison.row(n))
    return rows


def bertscore(n: int, rounds: int, rng: random.Random) -> list[dict[str, Any]]:
    """BERTScore with the embedded encoder in fp32."""
    import transformers
    from bert_score import BERTScorer

    from fas.models.paths import model_folder
    from fas.reference.bertscore import BertScorer

    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    package = BERTScorer(model_type=str(model_folder("fas-encoder-mini")), num_layers=6, device="cpu", nthreads=0)

    def theirs(predictions: list[str], references: list[list[str]]) -> list[float]:
        return package.score(predictions, references, batch_size=64)[2].tolist()

    scorer = BertScorer("fas-encoder-mini", 6, precision="fp32", padding=64, batch_size=64)

    def ours(predictions: list[str], references: list[list[str]]) -> list[float]:
        return [score.f1 for score in scorer.score(predictions, references, multi_reference="bert_score")]

    def sized() -> str:
        return abstract(rng, rng.randint(30, 150))

    names = {
        "BERTScore, one reference, new": 1,
        "BERTScore, one reference, seen before": 1,
        "BERTScore, three references, new": 3,
        "BERTScore, three references, seen before": 3,
    }
    comparisons = {name: Comparison(name) for name in names}
    theirs([sized()], [[sized()]])
    ours([sized()], [[sized()]])
    for _ in range(rounds):
        for name, n_references in names.items():
            if name.endswith("new"):
                references = [[sized() for _ in range(n_references)] for _ in range(n)]
            predictions = [answer_to(each[0], rng) for each in references]
            comparisons[name].round(
                lambda predictions=predictions, references=references: theirs(predictions, references),
                lambda predictions=predictions, references=references: ours(predictions, references),
                tolerance=1e-5,
            )
    return [comparison.row(n) for comparison in comparisons.values()]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100, help="pairs a round of ROUGE (default 100)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bert-pairs", type=int, default=40, help="pairs a round of BERTScore (default 40)")
    parser.add_argument("--bert-rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--only", choices=("rouge", "bertscore"), help="only this metric")
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    for measure, n, rounds in (
        (rouge, options.pairs, options.rounds),
        (bertscore, options.bert_pairs, options.bert_rounds),
    ):
        if options.only not in (None, measure.__name__):
            continue
        rows = measure(n, rounds, random.Random(options.seed))
        for one in rows:
            print(json.dumps(one), flush=True)
        if options.store:
            store(rows)


if __name__ == "__main__":
    main()

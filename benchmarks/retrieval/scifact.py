"""Ranking of SciFact's 5,183 abstracts for its train claims, with what ships; writes scifact.json.

    python benchmarks/retrieval/scifact.py --count 200 --chosen-on 148

A document counts as relevant if the claim's authors cite it. The claims are shuffled with a
fixed seed. The shipped settings of the reranker were chosen on the first --chosen-on claims;
they are reported on the rest. "Cross-validated" chooses the settings anew in each of five
folds, by R@5 on the other four, and is reported on all claims.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
import re
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from fas.evidence.bm25 import searchable
from fas.evidence.build import build_index
from fas.evidence.index import CANDIDATES, Hit, TextIndex
from fas.evidence.rerank import FEEDBACK, FEEDBACK_WEIGHT, SECOND_WEIGHT, EmbeddingReranker, fused

ROOT = Path(__file__).resolve().parents[2]
DEPTHS = (1, 3, 5, 10, 20)
FOLDS = 5
WEIGHTS, FEEDBACKS, FEEDBACK_WEIGHTS = (1.0, 1.25, 1.5, 2.0), (0, 1, 2, 3), (0.3, 0.5, 0.75)
NAMES = (*(f"R@{depth}" for depth in DEPTHS), "nDCG@10")


class CachedEncoder:
    """The embedded encoder with its vectors kept in a file, because 5,000 abstracts take minutes."""

    signature = "fas-encoder-mini"

    def __init__(self, path: Path | None, precision: str) -> None:
        self._path = path
        self._precision = precision
        self._vectors: dict[str, np.ndarray] = {}
        if path is not None and path.exists():
            with np.load(path) as stored:
                self._vectors = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))

    def missing(self, texts: Sequence[str]) -> list[str]:
        """The texts without a vector."""
        return [text for text in dict.fromkeys(texts) if self._key(text) not in self._vectors]

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of *texts*."""
        missing = self.missing(texts)
        if missing:
            from fas.models.encoder import load_encoder

            encoder = load_encoder(precision=self._precision)
            for text, vector in zip(missing, encoder.embed(missing), strict=True):
                self._vectors[self._key(text)] = vector
        return np.stack([self._vectors[self._key(text)] for text in texts])

    def save(self) -> None:
        """Write the vectors to the file."""
        if self._path is not None and self._vectors:
            np.savez(self._path, keys=np.array(list(self._vectors)), vectors=np.stack(list(self._vectors.values())))

    @staticmethod
    def _key(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()[:24]


def load(folder: Path) -> tuple[list[dict], dict[str, str], dict[str, set[str]]]:
    """Abstracts, claims by id, and the ids of the documents each claim cites."""
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        corpus = [json.loads(line) for line in stream]
    claims: dict[str, str] = {}
    relevant: dict[str, set[str]] = {}
    with (folder / "claims_train.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            claims.setdefault(row["id"], row["claim"])
            relevant.setdefault(row["id"], set()).update(re.findall(r"\d+", row["cited_doc_ids"]))
    return corpus, claims, relevant


def metrics(ranking: Sequence[str], relevant: set[str]) -> list[float]:
    """Recall at each depth and nDCG@10 of one claim."""
    recalls = [len(relevant & set(ranking[:depth])) / len(relevant) for depth in DEPTHS]
    gain = sum(1 / np.log2(place + 2) for place, found in enumerate(ranking[:10]) if found in relevant)
    return [*recalls, gain / sum(1 / np.log2(place + 2) for place in range(min(10, len(relevant))))]


def interval(values: np.ndarray, rng: np.random.Generator) -> list[float]:
    """Mean and its 95% percentile bootstrap interval over claims."""
    means = np.array([values[rng.integers(0, len(values), len(values))].mean() for _ in range(10_000)])
    return [float(values.mean()), *map(float, np.percentile(means, [2.5, 97.5]))]


def reranked(
    encoder: CachedEncoder, query: str, hits: Sequence[Hit], weight: float, feedback: int, feedback_weight: float
) -> list[str]:
    """Ids of *hits*, best first, under given settings."""
    reranker = EmbeddingReranker(encoder, feedback=feedback, feedback_weight=feedback_weight, second_weight=weight)
    first = np.array([hit.score for hit in hits])
    (second,) = reranker.scores([query], [[hit.passage for hit in hits]], [first])
    return [str(hits[position].passage.id) for position in fused(first, second, weight=weight)]


def cross_validated(by_setting: np.ndarray) -> np.ndarray:
    """Metrics of each claim under the setting that is best on the other folds.

    Args:
        by_setting: Shape `[n_settings, n_claims, n_metrics]`.
    """
    n_claims = by_setting.shape[1]
    folds = np.arange(n_claims) % FOLDS
    values = np.empty(by_setting.shape[1:])
    for fold in range(FOLDS):
        inside = folds == fold
        best = by_setting[:, ~inside, NAMES.index("R@5")].mean(axis=1).argmax()
        values[inside] = by_setting[best][inside]
    return values


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, help="only the first claims of the shuffled order")
    parser.add_argument("--chosen-on", type=int, default=148, help="claims that the shipped settings were chosen on")
    parser.add_argument("--vectors", type=Path, help="file to keep the encoder's vectors in")
    parser.add_argument("--precision", default="fp32")
    options = parser.parse_args()
    data = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data")) / "train" / "scifact"
    corpus, claims, relevant = load(data)
    order = np.random.default_rng(0).permutation(len(claims))
    everything = [list(claims)[i] for i in order]
    names = everything[: options.count]
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "corpus.jsonl"
        source.write_text(
            "".join(
                json.dumps({"id": str(d["doc_id"]), "title": d["title"], "text": " ".join(d["abstract"])}) + "\n"
                for d in corpus
            )
        )
        build_index(Path(folder) / "index", [source])
        index = TextIndex(Path(folder) / "index")
        found = index.search_many([claims[name] for name in everything], limit=CANDIDATES)

    def measured(name: str, ranking: Sequence[str]) -> list[float]:
        return metrics(ranking, relevant[name])

    bm25 = np.array([measured(n, [str(h.passage.id) for h in hits]) for n, hits in zip(everything, found, strict=True)])
    encoder = CachedEncoder(options.vectors, options.precision)
    texts = [searchable(hit.passage) for hits in found[: len(names)] for hit in hits]
    for start in range(0, len(texts), 64):
        encoder.embed(texts[start : start + 64])
        encoder.save()
    shipped = (SECOND_WEIGHT, FEEDBACK, FEEDBACK_WEIGHT)
    settings = [shipped, *(one for one in product(WEIGHTS, FEEDBACKS, FEEDBACK_WEIGHTS) if one != shipped)]
    by_setting = np.array(
        [
            [
                measured(name, reranked(encoder, claims[name], hits, *setting))
                for name, hits in zip(names, found, strict=False)
            ]
            for setting in settings
        ]
    )
    encoder.save()
    rest = slice(options.chosen_on, len(names))
    chosen = cross_validated(by_setting)
    groups = {
        f"all {len(everything)} claims": {"BM25": bm25},
        f"first {len(names)} claims": {
            "BM25": bm25[: len(names)],
            "cross-validated": chosen,
            "cross-validated - BM25": chosen - bm25[: len(names)],
            "shipped": by_setting[0],
            "shipped - BM25": by_setting[0] - bm25[: len(names)],
        },
        f"claims {rest.start + 1} to {rest.stop}": {
            "BM25": bm25[rest],
            "shipped": by_setting[0][rest],
            "shipped - BM25": by_setting[0][rest] - bm25[rest],
        },
    }
    rng = np.random.default_rng(12345)
    table = {
        group: {
            system: {name: interval(rows[:, column], rng) for column, name in enumerate(NAMES)}
            for system, rows in systems.items()
        }
        for group, systems in groups.items()
    }
    result = {"candidates": CANDIDATES, "precision": options.precision, "table": table}
    Path(__file__).with_name("scifact.json").write_text(json.dumps(result, indent=1) + "\n")
    for group, systems in table.items():
        for system, row in systems.items():
            cells = " | ".join(f"{mean:.3f} [{low:.3f}, {high:.3f}]" for mean, low, high in row.values())
            print(f"| {group} | {system} | {cells} |")


if __name__ == "__main__":
    main()

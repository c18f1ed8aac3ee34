"""Ranking of SciFact's 5,183 abstracts for its train claims, with what ships; writes scifact.json and the page.

    python -m benchmarks.retrieval.scifact --vectors vectors.npz

A document counts as relevant if the claim's authors cite it. The claims are shuffled with a
fixed seed. "Cross-validated" chooses the two weights of the reranker anew in each of five
folds of claims, by R@5 on the other four; the shipped weights were chosen on all of them, so
the cross-validated row is the honest one.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import hashlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from benchmarks.retrieval.page import HERE, pages
from benchmarks.stored import about
from benchmarks.tables import write
from fas.evidence.build import build_index
from fas.evidence.index import SearchHit, TextIndex
from fas.evidence.local import CANDIDATES
from fas.evidence.rerank import SECOND_WEIGHT, WHOLE_WEIGHT, EmbeddingReranker, fuse_ranks
from fas.text.windows import split_passage

ROOT = Path(__file__).resolve().parents[2]
DEPTHS = (1, 3, 5, 10, 20)
FOLDS = 5
WEIGHTS, WHOLE_WEIGHTS = (1.0, 1.5, 2.0, 2.5, 3.0), (0.0, 0.25, 0.5, 0.75, 1.0)
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
    encoder: CachedEncoder, query: str, hits: Sequence[SearchHit], settings: Sequence[tuple[float, float]]
) -> list[list[str]]:
    """Ids of *hits*, best first, under each setting (weight beside BM25, weight of the whole)."""
    passages, first = [hit.passage for hit in hits], np.array([hit.score for hit in hits])
    # The scores are linear in the weight of the whole: two calls give every setting.
    (window,) = EmbeddingReranker(encoder, whole_weight=0.0).scores([query], [passages], [first])
    (both,) = EmbeddingReranker(encoder, whole_weight=1.0).scores([query], [passages], [first])
    return [
        [str(passages[at].id) for at in fuse_ranks(first, window + whole * (both - window), weight=weight)]
        for weight, whole in settings
    ]


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
    parser.add_argument("--vectors", type=Path, help="file to keep the encoder's vectors in")
    parser.add_argument("--precision", default="fp32")
    options = parser.parse_args()
    data = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data")) / "train" / "scifact"
    corpus, claims, relevant = load(data)
    order = np.random.default_rng(0).permutation(len(claims))
    everything = [list(claims)[i] for i in order]
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
    texts = [text for hits in found for hit in hits for text in split_passage(hit.passage).texts]
    missing = encoder.missing([*texts, *claims.values()])
    for start in range(0, len(missing), 2048):
        encoder.embed(missing[start : start + 2048])
        encoder.save()
        print(f"{min(start + 2048, len(missing))} of {len(missing)} sentences", file=sys.stderr, flush=True)
    shipped = (SECOND_WEIGHT, WHOLE_WEIGHT)
    settings = [shipped, *(one for one in product(WEIGHTS, WHOLE_WEIGHTS) if one != shipped)]
    by_claim = [
        [measured(name, ranking) for ranking in reranked(encoder, claims[name], hits, settings)]
        for name, hits in zip(everything, found, strict=True)
    ]
    by_setting = np.array(by_claim).transpose(1, 0, 2)
    chosen = cross_validated(by_setting)
    groups = {
        f"all {len(everything)} claims": {
            "BM25": bm25,
            "cross-validated": chosen,
            "cross-validated - BM25": chosen - bm25,
            "shipped": by_setting[0],
            "shipped - BM25": by_setting[0] - bm25,
        }
    }
    rng = np.random.default_rng(12345)
    table = {
        group: {
            system: {name: interval(rows[:, column], rng) for column, name in enumerate(NAMES)}
            for system, rows in systems.items()
        }
        for group, systems in groups.items()
    }
    result = {**about(), "candidates": CANDIDATES, "precision": options.precision, "table": table}
    (HERE / "scifact.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

"""Ranking of SciFact's 5,183 abstracts for its train claims, with what ships; writes scifact.json.

    python benchmarks/retrieval/scifact.py --skip 155

A document counts as relevant if the claim's authors cite it. The claims are shuffled with a
fixed seed; the settings of the reranker were chosen on the first 155 of them, so --skip 155
leaves only claims that nothing was chosen on.
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
from pathlib import Path

import numpy as np

from fas.evidence.build import build_index
from fas.evidence.index import CANDIDATES, TextIndex
from fas.evidence.rerank import EmbeddingReranker, fused

ROOT = Path(__file__).resolve().parents[2]
DEPTHS = (1, 3, 5, 10, 20)
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


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--skip", type=int, default=0, help="leave out the first claims of the shuffled order")
    parser.add_argument("--count", type=int, help="at most so many claims")
    parser.add_argument("--vectors", type=Path, help="file to keep the encoder's vectors in")
    parser.add_argument("--precision", default="fp32")
    parser.add_argument("--bm25-only", action="store_true")
    options = parser.parse_args()
    data = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data")) / "train" / "scifact"
    corpus, claims, relevant = load(data)
    order = np.random.default_rng(0).permutation(len(claims))
    names = [list(claims)[i] for i in order][options.skip :][: options.count]
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
        found = index.search_many([claims[name] for name in names], limit=CANDIDATES)
    rankings = {"BM25": [[str(hit.passage.id) for hit in hits] for hits in found]}
    if not options.bm25_only:
        encoder = CachedEncoder(options.vectors, options.precision)
        reranker = EmbeddingReranker(encoder)
        reranked = []
        for name, hits in zip(names, found, strict=True):
            first = np.array([hit.score for hit in hits])
            (second,) = reranker.scores([claims[name]], [[hit.passage for hit in hits]], [first])
            reranked.append([str(hits[position].passage.id) for position in fused(first, second)])
        encoder.save()
        rankings["BM25 + encoder"] = reranked
    rng = np.random.default_rng(12345)
    values = {
        system: np.array([metrics(ranking, relevant[name]) for ranking, name in zip(ranked, names, strict=True)])
        for system, ranked in rankings.items()
    }
    if len(values) == 2:
        values["difference"] = values["BM25 + encoder"] - values["BM25"]
    table = {
        system: {name: interval(rows[:, column], rng) for column, name in enumerate(NAMES)}
        for system, rows in values.items()
    }
    result = {"claims": len(names), "skipped": options.skip, "candidates": CANDIDATES, "systems": table}
    Path(__file__).with_name("scifact_bm25.json" if options.bm25_only else "scifact.json").write_text(
        json.dumps(result, indent=1) + "\n"
    )
    for system, row in table.items():
        cells = "  ".join(f"{name} {mean:.3f} [{low:.3f}, {high:.3f}]" for name, (mean, low, high) in row.items())
        print(f"{system:<15} {cells}")


if __name__ == "__main__":
    main()

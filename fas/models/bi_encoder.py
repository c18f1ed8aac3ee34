"""Bi-encoders for dense retrieval: one vector a document, one a query, whose inner product says how well they match.

Any encoder that transformers knows, by hub name or folder, e.g. MedCPT (Jin et al., Bioinformatics 2023), which has an
encoder of its own for queries; or the embedded encoder, which needs no hub.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from fas.core.loading import loading
from fas.models.batched import BatchedModel
from fas.models.encoder import printable
from fas.models.loading import pin_version, quiet_loading, token_limit, weights_identity
from fas.models.paths import EMBEDDED, resolve_model
from fas.models.precision import choose_device, precision_name, resolve_precision

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    Vectors = npt.NDArray[np.float32]

Pooling = Literal["cls", "mean"]
EMBEDDED_NAME = "encoder"
"""What the embedded encoder is called in settings, as for reranking."""
_BATCH_TOKENS = 4096


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
        self.normalise = _is_normalised(model) if normalise is None else normalise
        self._documents = _Tower(model, self.pooling, precision, device)
        self._queries = self._documents
        if query not in (None, name):
            self._queries = _Tower(str(query), self.pooling, precision, device)
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
        given: list[tuple[str, str | None]] = []
        for title, text in texts:
            if self.pooling == "cls":
                given.append((title, text) if title else (text, None))
            else:
                given.append((f"{title}\n{text}" if title else text, None))
        vectors, n_cut = self._documents.vectors(given)
        self.n_cut += n_cut
        return self._finish(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of queries, shape `[len(texts), dimension]`.

        A query longer than the encoder reads is represented by its beginning, and counted in `n_cut_queries`.
        """
        vectors, n_cut = self._queries.vectors([(text, None) for text in texts])
        self.n_cut_queries += n_cut
        return self._finish(vectors)

    def _finish(self, vectors: Vectors) -> Vectors:
        if self.normalise:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors


class _Tower(BatchedModel):
    """One encoder with its tokenizer."""

    _is_steady = False

    def __init__(self, name: str, pooling: Pooling, precision: str, device: str | None) -> None:
        with loading():
            import torch
            from transformers import AutoModel, AutoTokenizer

        super().__init__()
        location, signature = resolve_model(name)
        self.device = choose_device(device)
        self.dtype = resolve_precision(precision, self.device)
        self._pooling = pooling
        with quiet_loading(name):
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            model: Any = AutoModel.from_pretrained(
                location, dtype=torch.float32, trust_remote_code=False, use_safetensors=True
            )
        self.model = model.to(self.device, self.dtype).eval()
        self.dimension = int(self.model.config.hidden_size)
        own = pin_version(signature, weights_identity(location, self.model.config))
        self.signature = re.sub(r"[|:,\[\]\s]", "_", own)
        self.max_length = min(token_limit(self.tokenizer, self.model), 512)

    def vectors(self, texts: Sequence[tuple[str, str | None]]) -> tuple[Vectors, int]:
        """A vector for each text or pair, and how many were cut; of a pair the longer text is cut first."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32), 0
        n_cut = 0
        columns: dict[str, list[list[int]]] = {}
        places: list[int] = []
        for paired in (False, True):
            own = [i for i, (_, second) in enumerate(texts) if (second is not None) == paired]
            if not own:
                continue
            given = [[printable(texts[i][0]) for i in own]]
            if paired:
                given.append([printable(texts[i][1] or "") for i in own])
            whole = self._tokenize(*given, verbose=False)["input_ids"]
            n_cut += sum(len(ids) > self.max_length for ids in whole)
            made = self._tokenize(*given, truncation=True, max_length=self.max_length)
            # Tokenizers that know no segments give none, and their models take every token for the first.
            made.setdefault("token_type_ids", [[0] * len(ids) for ids in made["input_ids"]])
            for name, column in made.items():
                columns.setdefault(name, []).extend(column)
            places += own
        if int(getattr(self.model.config, "type_vocab_size", 0) or 0) < 2:
            columns.pop("token_type_ids", None)
        order = np.argsort(places)
        columns = {name: [column[i] for i in order] for name, column in columns.items()}
        return self._rows_of_columns(columns, tokens=_BATCH_TOKENS), n_cut

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        mask = features["attention_mask"]
        states: torch.Tensor = self.model(**features).last_hidden_state.float()
        if self._pooling == "cls":
            return states[:, 0]
        return (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)


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


def _is_normalised(model: str) -> bool:
    """Whether vectors are brought to length 1: the embedded encoder's, and where a folder's list of modules says so."""
    if model in EMBEDDED:
        return True
    modules = Path(model) / "modules.json"
    if not modules.is_file():
        return False
    return any(str(one.get("type", "")).endswith(".Normalize") for one in json.loads(modules.read_text("utf-8")))

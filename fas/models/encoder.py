"""Text encoders: sentence embeddings and token states, from any transformers encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fas.core.loading import fork_safe_lock, load_once, loading
from fas.models.accelerator import batch_tokens, choose_silently, is_accelerator, streamed
from fas.models.batches import length_buckets, pad_rows
from fas.models.fastlinear import pack_linear_layers
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.mapped import map_word_table
from fas.models.parallel import map_batches
from fas.models.paths import resolve_model
from fas.models.precision import padded_width, resolve_precision
from fas.models.side_by_side import lay_side_by_side, row_length, row_parts, states_of_row

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import torch

    Embeddings = npt.NDArray[np.float32]

MAX_LENGTH = 256  # the trunk was trained on at most this many tokens


class Encoder:
    """Mean-pooled, normalised sentence embeddings of an embedded model, hub name or folder.

    Raises:
        LookupError: There is no such model.
    """

    def __init__(self, name: str = "fas-encoder-mini", *, precision: str = "auto") -> None:
        with loading():
            import torch
            from transformers import AutoModel, AutoTokenizer

        location, signature = resolve_model(name)
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = resolve_precision(precision, self.device)
        with quiet_loading(name):
            self.tokenizer: Any = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            # In fp32 and then converted: transformers loads in the number format of the whole process, which other
            # threads may be computing in.
            model: Any = AutoModel.from_pretrained(
                location, dtype=torch.float32, trust_remote_code=False, use_safetensors=True
            )
            self.model: Any = model.to(self.device, dtype).eval()
            pack_linear_layers(self.model)
            map_word_table(self.model, [Path(location) / "model.safetensors"])
        self._streams = is_accelerator(self.device)
        self._is_side_by_side = not self._streams and lay_side_by_side(self.model)
        self._tokens: int | None = None
        self.identity = weights_identity(location, self.model.config)
        self.signature = pin_version(signature, self.identity)
        self.dimension = int(self.model.config.hidden_size)
        self._lock = fork_safe_lock()

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Unit vectors, shape `[len(texts), dimension]`; an empty text gives the vector of "" (finite).

        Texts longer than 256 tokens are represented by their first 256; callers embed
        sentences, not documents. On a processor a vector of a model of the BERT family depends on its text alone, to
        the bit.
        """
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        texts = [printable(text) for text in texts]
        if self._streams:
            return streamed(
                [len(text) for text in texts],
                lambda chosen: self._encode([texts[i] for i in chosen]),
                self._padded,
                self._forward,
                device=self.device,
                budget=self._budget(),
            )
        ids = self._encode(texts)["input_ids"]
        lengths = [len(item) for item in ids]
        groups, run = length_buckets(lengths, 2048), self._embed_batch
        if self._is_side_by_side:
            groups, run = row_parts(lengths), self._embed_row
        batches = [[ids[i] for i in group] for group in groups]
        found = map_batches(run, batches, device=self.device, steady=self._is_side_by_side)
        for group, rows in zip(groups, found, strict=True):
            vectors[group] = rows
        return vectors

    def _encode(self, texts: Sequence[str]) -> dict[str, list[list[int]]]:
        with self._lock:
            return dict(
                self.tokenizer(
                    list(texts),
                    truncation=True,
                    max_length=MAX_LENGTH,
                    return_attention_mask=False,
                    return_token_type_ids=False,
                )
            )

    def _budget(self) -> int:
        if self._tokens is None:
            names, key = ("input_ids", "attention_mask"), f"encoder|{self.identity}|{self.model.dtype}"
            self._tokens = batch_tokens(self._forward, names, device=self.device, key=key)
        return self._tokens

    def _embed_row(self, ids: list[list[int]]) -> Embeddings:
        """The vectors of texts that share a row."""
        import torch

        with torch.inference_mode():
            states = states_of_row(self.model, ids, row_length(ids)).float()
            parts = torch.split(states, [len(item) for item in ids])
            pooled = torch.stack([own.mean(dim=0) for own in parts])
            result: Embeddings = torch.nn.functional.normalize(pooled, dim=-1).numpy()
        return result

    def _embed_batch(self, ids: list[list[int]]) -> Embeddings:
        import torch

        features = {name: own.to(self.device) for name, own in self._padded({"input_ids": ids}).items()}
        with torch.inference_mode():
            result: Embeddings = self._forward(features).cpu().numpy()
        return result

    def _padded(self, columns: Mapping[str, list[list[int]]]) -> dict[str, torch.Tensor]:
        import torch

        ids = columns["input_ids"]
        width = padded_width(max(len(item) for item in ids), self.model.dtype, most=MAX_LENGTH, steady=self._streams)
        return {
            "input_ids": torch.tensor(pad_rows(ids, width, self.tokenizer.pad_token_id or 0)),
            "attention_mask": torch.tensor([[1] * len(item) + [0] * (width - len(item)) for item in ids]),
        }

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        import torch

        mask = features["attention_mask"]
        states = self.model(**choose_silently(self.model, features)).last_hidden_state.float()
        pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.nn.functional.normalize(pooled, dim=-1)


def printable(text: str) -> str:
    """*text* without what tokenizers refuse: lone surrogates become the replacement character."""
    return text.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


@load_once(4)
def load_encoder(name: str = "fas-encoder-mini", *, precision: str = "auto") -> Encoder:
    """A shared encoder; loaded once per name and precision."""
    return Encoder(name, precision=precision)

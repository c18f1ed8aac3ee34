"""Text encoders: sentence embeddings and token states, from any transformers encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fas.loading import Guard, loading, once
from fas.models.fastlinear import pack_linear_layers
from fas.models.loading import quiet_loading, versioned, weights_identity
from fas.models.parallel import map_batches
from fas.models.paths import resolve_model
from fas.models.precision import padded_width, resolve_precision

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Embeddings = npt.NDArray[np.float32]

MAX_LENGTH = 256  # the trunk was trained on at most this many tokens


class Encoder:
    """Mean-pooled, normalised sentence embeddings.

    Args:
        name: Embedded model, hub name or folder.
        precision: `fp32`, `bf16` or `auto`.
        device: Torch device; CUDA if there is one by default.

    Raises:
        LookupError: There is no such model.
    """

    def __init__(self, name: str = "fas-encoder-mini", *, precision: str = "auto", device: str | None = None) -> None:
        with loading():
            import torch
            from transformers import AutoModel, AutoTokenizer

        location, signature = resolve_model(name)
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
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
        self.identity = weights_identity(location, self.model.config)
        self.signature = versioned(signature, self.identity)
        self.dimension = int(self.model.config.hidden_size)
        self._lock = Guard()

    def embed(self, texts: Sequence[str], *, batch_tokens: int = 2048) -> Embeddings:
        """Unit vectors, shape `[len(texts), dimension]`; an empty text gives the vector of "" (finite).

        Texts longer than 256 tokens are represented by their first 256; callers embed
        sentences, not documents.
        """
        import numpy as np

        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        if not texts:
            return vectors
        with self._lock:
            ids = self.tokenizer(
                [printable(text) for text in texts],
                truncation=True,
                max_length=MAX_LENGTH,
                return_attention_mask=False,
                return_token_type_ids=False,
            )["input_ids"]
        groups = length_buckets([len(item) for item in ids], batch_tokens)

        def run(group: list[int]) -> Embeddings:
            return self._embed_batch([ids[i] for i in group])

        for group, rows in zip(groups, map_batches(run, groups, device=self.device), strict=True):
            vectors[group] = rows
        return vectors

    def _embed_batch(self, ids: list[list[int]]) -> Embeddings:
        import torch

        width = padded_width(max(len(item) for item in ids), self.model.dtype, most=MAX_LENGTH)
        pad = self.tokenizer.pad_token_id or 0
        tokens = torch.tensor([item + [pad] * (width - len(item)) for item in ids], device=self.device)
        mask = torch.tensor([[1] * len(item) + [0] * (width - len(item)) for item in ids], device=self.device)
        with torch.inference_mode():
            states = self.model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
        pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        result: Embeddings = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return result


def printable(text: str) -> str:
    """*text* without what tokenizers refuse: lone surrogates become the replacement character."""
    return text.encode("utf-8", "replace").decode("utf-8") if _has_surrogate(text) else text


def _has_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def length_buckets(lengths: Sequence[int], batch_tokens: int) -> list[list[int]]:
    """Indices grouped so that a group's longest item times its size stays within *batch_tokens*.

    Sorted by length, longest first, so that memory peaks in the first batch; every index
    occurs once, also one that alone exceeds the budget.
    """
    groups: list[list[int]] = []
    width = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if groups and width * (len(groups[-1]) + 1) <= batch_tokens:
            groups[-1].append(index)
        else:
            groups.append([index])
            width = max(1, lengths[index])
    return groups


@once(4)
def load_encoder(name: str = "fas-encoder-mini", *, precision: str = "auto") -> Encoder:
    """A shared encoder; loaded once per name and precision."""
    return Encoder(name, precision=precision)

"""Text encoders: sentence embeddings and token states, from any transformers encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.loading import load_once, loading
from fas.models.accelerator import choose_silently, is_accelerator
from fas.models.batched import BatchedModel, Columns
from fas.models.fastlinear import pack_linear_layers
from fas.models.loading import pin_version, quiet_loading, weights_identity
from fas.models.mapped import map_word_table
from fas.models.paths import resolve_model
from fas.models.precision import choose_device, resolve_precision
from fas.models.side_by_side import lay_side_by_side, row_length, states_of_row

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    Embeddings = npt.NDArray[np.float32]

MAX_LENGTH = 256  # the trunk was trained on at most this many tokens


class Encoder(BatchedModel):
    """Mean-pooled, normalised sentence embeddings of an embedded model, hub name or folder.

    Raises:
        LookupError: There is no such model.
    """

    def __init__(self, name: str = "fas-encoder-mini", *, precision: str = "auto") -> None:
        with loading():
            import torch
            from transformers import AutoModel, AutoTokenizer

        super().__init__()
        location, signature = resolve_model(name)
        self.device = choose_device()
        self.dtype = resolve_precision(precision, self.device)
        with quiet_loading(name):
            self.tokenizer = AutoTokenizer.from_pretrained(location, trust_remote_code=False)
            # In fp32 and then converted: transformers loads in the number format of the whole process, which other
            # threads may be computing in.
            model: Any = AutoModel.from_pretrained(
                location, dtype=torch.float32, trust_remote_code=False, use_safetensors=True
            )
            self.model = model.to(self.device, self.dtype).eval()
            pack_linear_layers(self.model)
            map_word_table(self.model, [Path(location) / "model.safetensors"])
        self._streams = self._is_steady = is_accelerator(self.device)
        self._is_side_by_side = not self._streams and lay_side_by_side(self.model)
        self.max_length = MAX_LENGTH
        self.identity = weights_identity(location, self.model.config)
        self.signature = pin_version(signature, self.identity)
        self._budget_key = f"encoder|{self.identity}|{self.dtype}"
        self.dimension = int(self.model.config.hidden_size)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Unit vectors, shape `[len(texts), dimension]`; an empty text gives the vector of "" (finite).

        Texts longer than 256 tokens are represented by their first 256; callers embed
        sentences, not documents. On a processor a vector of a model of the BERT family depends on its text alone, to
        the bit.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        texts = [printable(text) for text in texts]
        options = {"truncation": True, "max_length": MAX_LENGTH, "return_token_type_ids": False}
        return self._rows_of_texts(
            [len(text) for text in texts],
            lambda chosen: self._tokenize([texts[i] for i in chosen], **options),
            tokens=2048,
        )

    def _run_row(self, columns: Columns) -> Embeddings:
        import torch

        ids = columns["input_ids"]
        with torch.inference_mode():
            states = states_of_row(self.model, ids, row_length(ids)).float()
            pooled = torch.stack([own.mean(dim=0) for own in torch.split(states, [len(item) for item in ids])])
            result: Embeddings = torch.nn.functional.normalize(pooled, dim=-1).numpy()
        return result

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        import torch

        mask = features["attention_mask"]
        states = self.model(**choose_silently(self.model, features)).last_hidden_state.float()
        pooled = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
        return torch.nn.functional.normalize(pooled, dim=-1)


def printable(text: str) -> str:
    """*text* without what tokenizers refuse: lone surrogates become `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


@load_once(4)
def load_encoder(name: str = "fas-encoder-mini", *, precision: str = "auto") -> Encoder:
    """A shared encoder; loaded once per name and precision."""
    return Encoder(name, precision=precision)

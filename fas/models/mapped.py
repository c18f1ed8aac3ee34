"""The table of word vectors left in its file: one copy in memory for all models and processes that read it.

Half of a small encoder is its table, of which a text needs a few hundred rows. The embedded models have the same one,
frozen in training, each in fp32 and in bfloat16 where both are computed in; mapped, the system keeps it once, for every
worker of a machine, and rows are converted as they are read. The numbers are the same to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

_KEY = "word_embeddings.weight"


def map_word_table(model: Any, files: Iterable[Path]) -> bool:
    """Replace the table of *model* by the same one in one of *files*, and return whether one was the same.

    Only for inference, and only on a processor. A file of safetensors that is not there holds none.
    """
    import torch
    from safetensors import safe_open

    table = model.get_input_embeddings()
    if type(table) is not torch.nn.Embedding or table.weight.device.type != "cpu" or table.max_norm is not None:
        return False
    for file in files:
        if not file.is_file():
            continue
        with safe_open(file, framework="pt") as stored:
            for key in stored.keys():  # noqa: SIM118 - it is no mapping
                if key.endswith(_KEY) and tuple(stored.get_slice(key).get_shape()) == tuple(table.weight.shape):
                    rows = stored.get_tensor(key)
                    if torch.equal(rows.to(table.weight.dtype), table.weight):
                        model.set_input_embeddings(_make_mapped(rows, table.weight.dtype))
                        return True
    return False


def _make_mapped(rows: Any, dtype: Any) -> Any:
    import torch

    class MappedEmbedding(torch.nn.Module):
        """Rows of a table that lies in a file."""

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            # Neither a parameter nor a buffer, which a conversion of the model would copy.
            return torch.nn.functional.embedding(ids, rows).to(dtype)

    return MappedEmbedding()

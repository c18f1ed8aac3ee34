"""Rows of numbers for texts, batch by batch: what encoders and classifiers share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fas.core.loading import fork_safe_lock
from fas.models.accelerator import batch_tokens, streamed
from fas.models.batches import length_buckets, pad_rows
from fas.models.parallel import map_batches
from fas.models.precision import padded_width
from fas.models.side_by_side import row_parts

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    Rows = npt.NDArray[np.float32]

Columns = Mapping[str, list[list[int]]]
"""What a tokenizer makes of texts: `input_ids` and more, each a list for each text."""


class BatchedModel:
    """A tokenizer and a model that gives a row of numbers for each text; `_forward` computes those of a batch.

    Attributes:
        max_length: Tokens of a text that the model reads.
    """

    tokenizer: Any
    model: Any
    device: str
    dtype: torch.dtype
    max_length: int
    _budget_key = ""
    """Tells the model and its number format from others whose tokens a batch were measured."""
    _names: Sequence[str] = ("input_ids", "attention_mask")
    _streams = False
    _is_side_by_side = False
    _runs_at_once = True
    """Whether several batches are computed at once on a processor."""
    _is_steady = True
    """See `padded_width`."""
    _tokens: int | None = None

    def __init__(self) -> None:
        self._lock = fork_safe_lock()

    def count(self, text: str) -> int:
        """How many tokens *text* has."""
        return len(self._tokenize(text, add_special_tokens=False, verbose=False)["input_ids"])

    def _tokenize(self, *texts: Any, **options: Any) -> dict[str, Any]:
        with self._lock:
            return dict(self.tokenizer(*texts, **options))

    def _rows_of_texts(
        self, sizes: Sequence[int], encode: Callable[[list[int]], Columns], *, tokens: int, most: int | None = None
    ) -> Rows:
        """A row for each text; *encode* gives the tokens of the texts with the given numbers.

        *sizes* are characters of each text; *tokens* and *most* (texts) limit a batch on a processor.
        """
        if not self._streams:
            return self._rows_of_columns(encode(list(range(len(sizes)))), tokens=tokens, most=most)
        if self._tokens is None:
            self._tokens = batch_tokens(self._forward, self._names, device=self.device, key=self._budget_key)
        return streamed(sizes, encode, self._pad, self._forward, device=self.device, budget=self._tokens)

    def _rows_of_columns(self, columns: Columns, *, tokens: int, most: int | None = None) -> Rows:
        lengths = [len(ids) for ids in columns["input_ids"]]
        parts, run = length_buckets(lengths, tokens, most), self._run
        if self._is_side_by_side:
            parts, run = row_parts(lengths), self._run_row
        batches = [{name: [column[i] for i in part] for name, column in columns.items()} for part in parts]
        found: Iterable[Rows] = map(run, batches)
        if self._runs_at_once:
            found = map_batches(run, batches, device=self.device, steady=self._is_side_by_side)
        rows = np.concatenate(list(found))
        result = np.empty_like(rows)
        result[[i for part in parts for i in part]] = rows
        return result

    def _run(self, columns: Columns) -> Rows:
        import torch

        with torch.inference_mode():
            features = {name: own.to(self.device) for name, own in self._pad(columns).items()}
            rows: Rows = self._forward(features).float().cpu().numpy()
        return rows

    def _run_row(self, columns: Columns) -> Rows:
        """The rows of texts that share a row of tokens (`fas.models.side_by_side`)."""
        raise NotImplementedError

    def _pad(self, columns: Columns) -> dict[str, torch.Tensor]:
        import torch

        longest = max(map(len, columns["input_ids"]))
        width = padded_width(longest, self.dtype, most=self.max_length, steady=self._is_steady)
        pad = {"input_ids": self.tokenizer.pad_token_id or 0}
        return {name: torch.tensor(pad_rows(rows, width, pad.get(name, 0))) for name, rows in columns.items()}

    def _forward(self, features: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """The rows of a batch."""
        raise NotImplementedError

"""Vectors of an index's documents, beside the index, and the search through all of them.

`fas index embed DIR` writes `DIR/vectors/ENCODER/`: `vectors.npy` (float16, one row a document), `ids.txt` (the id of
each row) and `meta.json`. The search is exact: every row is compared, block by block, from the file. Vectors belong to
the state of the index they were made from; those of another state are refused.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fas.core.errors import FasError, InputError
from fas.core.files.plain import read_json
from fas.evidence.index import TextIndex

if TYPE_CHECKING:
    from fas.models.bi_encoder import BiEncoder

VECTORS = "vectors"
_META, _ROWS, _IDS = "meta.json", "vectors.npy", "ids.txt"
_FORMAT = 1
_AT_ONCE = 512  # documents handed to the encoder
_BLOCK = 65_536  # rows in memory at a time, as float32
_QUERIES = 64  # compared with a block at a time


def embed_index(
    directory: Path, encoder: BiEncoder, *, progress: Callable[[int, int], None] | None = None
) -> dict[str, Any]:
    """Write the vectors of every document of the index in *directory*, unless they are there for its present state.

    Only `vectors/` in the folder is written. *progress* is called with the documents done and in all. Returns the
    content of `meta.json`; `cut` counts documents of which only the beginning was read.

    Raises:
        InputError: There is no index.
        FasError: The vectors cannot be written.
    """
    index = TextIndex(directory)
    folder = _name_folder(directory, encoder)
    there = _read_meta(folder)
    if there is not None and there["content_hash"] == index.content_hash:
        return there
    part = folder.with_name(folder.name + ".part")
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        done = 0
        cut = encoder.n_cut
        rows = np.lib.format.open_memmap(
            part / _ROWS, mode="w+", dtype=np.float16, shape=(len(index), encoder.dimension)
        )
        with (part / _IDS).open("w", encoding="utf-8", newline="\n") as ids:
            passages = index.passages()
            while several := list(islice(passages, _AT_ONCE)):
                vectors = encoder.documents([(one.title, one.text) for one in several])
                if not np.isfinite(vectors.astype(np.float16)).all():
                    raise FasError(f"{directory}: {encoder.signature} gives vectors that float16 cannot hold")
                rows[done : done + len(several)] = vectors
                ids.writelines(f"{one.id}\n" for one in several)
                done += len(several)
                if progress is not None:
                    progress(done, len(index))
        rows.flush()
        del rows
        meta = {
            "format": _FORMAT,
            "encoder": encoder.document_signature,
            "precision": encoder.precision,
            "content_hash": index.content_hash,
            "documents": done,
            "dimension": encoder.dimension,
            "cut": encoder.n_cut - cut,
        }
        (part / _META).write_text(json.dumps(meta, indent=1), encoding="utf-8")
        if there is not None:
            shutil.rmtree(folder)
        part.replace(folder)
    except OSError as error:
        raise FasError(f"{directory}: vectors cannot be written ({error.strerror or error})") from error
    return meta


class VectorIndex:
    """The vectors of *encoder* for an index, opened for searching; safe for several threads.

    Raises:
        InputError: They are not there, or are of another state of the index.
    """

    def __init__(self, index: TextIndex, encoder: BiEncoder) -> None:
        folder = _name_folder(index.directory, encoder)
        meta = _read_meta(folder)
        again = f"run `fas index embed {index.directory}` with this encoder"
        if meta is None:
            raise InputError(
                f"{index.directory}: no vectors of {encoder.document_signature} here; {again}", kind="index"
            )
        if meta["content_hash"] != index.content_hash:
            raise InputError(
                f"{index.directory}: its vectors were made from another state of the index; {again} again", kind="index"
            )
        self.precision = str(meta["precision"])
        """The number format that the vectors were computed in."""
        try:
            self._rows: NDArray[np.float16] = np.load(folder / _ROWS, mmap_mode="r")
            self._ids = (folder / _IDS).read_text(encoding="utf-8").split("\n")[:-1]
        except (OSError, ValueError) as error:
            raise InputError(f"{folder}: cannot be read ({error}); {again} again", kind="index") from error
        if self._rows.shape != (len(self._ids), encoder.dimension):
            raise InputError(f"{folder}: holds {self._rows.shape} numbers for {len(self._ids)} ids", kind="index")

    def __len__(self) -> int:
        return len(self._ids)

    def best(self, queries: NDArray[np.float32], limit: int) -> list[list[tuple[str, float]]]:
        """Ids and products of the *limit* best documents for each row of *queries*; equal ones in order of id.

        Products that agree to five decimals are equal.
        """
        limit = min(limit, len(self))
        if limit < 1:
            return [[] for _ in queries]
        parts = [queries[start : start + _QUERIES] for start in range(0, len(queries), _QUERIES)]
        return [found for part in parts for found in self._find_best(part, limit)]

    def _find_best(self, queries: NDArray[np.float32], limit: int) -> list[list[tuple[str, float]]]:
        kept_rows = np.zeros((len(queries), 0), dtype=np.int64)
        kept = np.zeros((len(queries), 0), dtype=np.float32)
        for start in range(0, len(self), _BLOCK):
            block = np.asarray(self._rows[start : start + _BLOCK], dtype=np.float32)
            products = np.round(queries @ block.T, 5)
            kept = np.concatenate([kept, products], axis=1)
            rows = np.broadcast_to(np.arange(start, start + len(block)), products.shape)
            kept_rows = np.concatenate([kept_rows, rows], axis=1)
            if kept.shape[1] > limit:
                # What ties with the last place is kept, too: which of them is first is decided by id.
                least = np.partition(kept, -limit, axis=1)[:, [-limit]]
                width = int((kept >= least).sum(axis=1).max())
                order = np.argsort(-kept, axis=1, kind="stable")[:, :width]
                kept, kept_rows = np.take_along_axis(kept, order, 1), np.take_along_axis(kept_rows, order, 1)
        found = []
        for products, rows in zip(kept, kept_rows, strict=True):
            pairs = [(self._ids[row], float(product)) for row, product in zip(rows, products, strict=True)]
            found.append(sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:limit])
        return found


def _name_folder(directory: Path, encoder: BiEncoder) -> Path:
    return directory / VECTORS / re.sub(r"[^\w.@-]+", "_", encoder.document_signature)


def _read_meta(folder: Path) -> dict[str, Any] | None:
    """What is noted of the vectors in *folder*; None without any."""
    if not (folder / _META).exists():
        return None
    found = read_json(folder / _META)
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise InputError(f"{folder / _META}: has an unknown format; remove the folder and embed again", kind="index")
    return found

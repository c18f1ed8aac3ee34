"""Batches for an accelerator: large enough to fill it, sent asynchronously, read back once.

A small batch keeps a processor busy, but not a GPU, which idles whenever the host waits for it. So the number of tokens
of a batch is measured for each device, model and number format; a thread tokenizes the next texts while the device
computes; batches are sent from pinned memory without waiting; and the host waits for the results once, at the end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fas.core.cache import Cache, content_key
from fas.models.batches import length_buckets

if TYPE_CHECKING:
    import numpy.typing as npt
    import torch

    Features = dict[str, torch.Tensor]
    Forward = Callable[["Features"], torch.Tensor]

Item = TypeVar("Item")
Made = TypeVar("Made")

_LEAST, _MOST = 1 << 12, 1 << 18
# A further doubling must gain more than this factor, or it only costs memory.
_GAIN = 1.05
# In a batch that takes this long, the cost of starting it no longer matters.
_LONG_S = 0.5
_WIDTH = 128
# Raised when something else is measured, or measured in another way.
_METHOD = "1"


def is_accelerator(device: str) -> bool:
    """Whether *device* is not the processor.

    >>> is_accelerator("cpu"), is_accelerator("cuda:1")
    (False, True)
    """
    return device.partition(":")[0] != "cpu"


def batch_tokens(forward: Forward, names: Iterable[str], *, device: str, key: str) -> int:
    """Tokens of a batch, padding included: the fewest with which *device* computes about as fast as it can.

    Measured once and kept in the cache, so that all runs and all processes on a device like this one batch alike:
    results differ in the last digits with the size of a batch. *names* are those of tensors of a batch, *key* tells
    this model and its number format from others.
    """
    cache = Cache("devices")
    key = content_key(_METHOD, device_name(device), key)
    known = cache.get(key)
    if known is None:
        known = str(_measure_tokens(forward, tuple(names), device)).encode()
        cache.put(key, known)
        # Another process may have been first, and what it measured holds.
        known = cache.get(key) or known
    cache.close()
    return int(known)


def device_name(device: str) -> str:
    """What *device* is, with the version of torch that computes on it."""
    import torch

    kind = device.partition(":")[0]
    return f"{torch.cuda.get_device_name(device) if kind == 'cuda' else kind}|{torch.__version__}"


def _measure_tokens(forward: Forward, names: Sequence[str], device: str) -> int:
    """The fewest tokens a batch from which doubling them gains less than a twentieth, does not fit, or takes long."""
    import torch

    best, rate = _LEAST, 0.0
    tokens = _LEAST
    while tokens <= _MOST:
        rows = tokens // _WIDTH
        features = {name: torch.ones((rows, _WIDTH), dtype=torch.long, device=device) for name in names}
        try:
            seconds = _time_forward(forward, features, device)
        except torch.OutOfMemoryError:
            break
        if tokens / seconds < rate * _GAIN:
            break
        best, rate, tokens = tokens, tokens / seconds, tokens * 2
        if seconds > _LONG_S:
            break
    return best


def _time_forward(forward: Forward, features: Features, device: str) -> float:
    """Of the faster of two turns, after one that warms up."""
    import torch

    taken = []
    with torch.inference_mode():
        for _ in range(3):
            _synchronise(device)
            began = time.perf_counter()
            forward(features)
            _synchronise(device)
            taken.append(time.perf_counter() - began)
    return max(min(taken[1:]), 1e-9)


def _synchronise(device: str) -> None:
    import torch

    if device.partition(":")[0] in ("cuda", "mps", "xpu"):
        torch.accelerator.synchronize(device)


def choose_silently(model: Any, features: Mapping[str, torch.Tensor]) -> Features:
    """*features* with a mask that *model* need not look into.

    Models of the BERT family ask whether a mask has any padding at all, and wait for the device to answer, batch for
    batch; of a mask in the shape of their attention they do not.
    """
    given = dict(features)
    if model.config.model_type in ("bert", "roberta", "xlm-roberta") and model.device.type != "cpu":
        given["attention_mask"] = given["attention_mask"][:, None, None, :].bool()
    return given


def make_ahead(make: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """The result of *make* for each item, in order; the next one is made in a thread while one is used.

    What *make* raises is raised in its item's turn.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="fas-ahead") as pool:
        waiting = None
        for item in items:
            coming = pool.submit(make, item)
            if waiting is not None:
                yield waiting.result()
            waiting = coming
        if waiting is not None:
            yield waiting.result()


def stream(forward: Forward, batches: Iterable[Mapping[str, Any]], device: str) -> npt.NDArray[np.float32]:
    """The rows that *forward* gives for every batch of tensors on the processor, made when it is their turn.

    Raises:
        ArithmeticError: A number is not finite: half precision was left behind.
        torch.OutOfMemoryError: Not even one text fits.
    """
    import torch

    rows = []
    with torch.inference_mode():
        for batch in batches:
            rows.append(_run_halved(forward, _send_batch(batch, device)))
        if not rows:
            return np.zeros((0, 0), dtype=np.float32)
        result: npt.NDArray[np.float32] = torch.cat(rows).float().cpu().numpy()
    if not np.isfinite(result).all():
        raise ArithmeticError("a model computed no number (in half precision, too large a one): take --precision fp32")
    return result


def _send_batch(batch: Mapping[str, torch.Tensor], device: str) -> Features:
    """*batch* on *device*, on its way there where that can be."""
    pins = device.partition(":")[0] == "cuda"
    return {name: (own.pin_memory() if pins else own).to(device, non_blocking=pins) for name, own in batch.items()}


def _run_halved(forward: Forward, features: Features) -> torch.Tensor:
    """The rows of a batch; in halves where the device, which others use too, has no room for it."""
    import torch

    try:
        return forward(features)
    except torch.OutOfMemoryError:
        size = len(features["input_ids"])
        if size == 1:
            raise
    # Outside of the handler, whose exception would keep what did not fit.
    parts = (slice(None, size // 2), slice(size // 2, None))
    return torch.cat([_run_halved(forward, {name: own[part] for name, own in features.items()}) for part in parts])


def streamed(
    sizes: Sequence[int],
    encode: Callable[[list[int]], Mapping[str, list[list[int]]]],
    padded: Callable[[Mapping[str, list[list[int]]]], Mapping[str, torch.Tensor]],
    forward: Forward,
    *,
    device: str,
    budget: int,
) -> npt.NDArray[np.float32]:
    """The rows of texts of any number, in their order, by batches of *budget* tokens.

    *sizes* are characters of each text; *encode* gives the tokens of the texts with these numbers, by the names the
    model has for them, and is called in a thread; *padded* makes tensors of them.
    """
    portions = pools(sizes, 2 * budget)
    order: list[int] = []

    def batches() -> Iterator[Mapping[str, torch.Tensor]]:
        for portion, encoded in zip(portions, make_ahead(encode, portions), strict=True):
            for group in length_buckets([len(ids) for ids in encoded["input_ids"]], budget):
                order.extend(portion[i] for i in group)
                yield padded({name: [column[i] for i in group] for name, column in encoded.items()})

    rows = stream(forward, batches(), device)
    result = rows.copy()
    result[order] = rows
    return result


def pools(sizes: Sequence[int], tokens: int) -> list[list[int]]:
    """Indices in portions of about *tokens*, the longest first: one is read by the tokenizer while another is computed.

    *sizes* are characters of each text; a token has about four.
    """
    portions: list[list[int]] = []
    room = 0
    for index in sorted(range(len(sizes)), key=lambda i: -sizes[i]):
        if room <= 0:
            portions.append([])
            room = tokens
        portions[-1].append(index)
        room -= sizes[index] // 4 + 1
    return portions

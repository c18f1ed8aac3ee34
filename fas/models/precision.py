"""One decision for all models: in which number format they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

PRECISIONS = ("fp32", "bf16", "auto")


def resolve_precision(precision: str, device: str | torch.device = "cpu") -> torch.dtype:
    """The format of a model's weights and activations on *device*.

    `fp32` is the reference. `auto` takes bfloat16 where the hardware computes in it (CUDA from
    compute capability 8, CPUs with AVX512-BF16 or AMX) and fp32 elsewhere, because emulated
    bfloat16 is slower than fp32 and less exact. `bf16` is obeyed everywhere.

    Raises:
        ValueError: *precision* is none of the three.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"`precision` must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    import torch

    if precision == "bf16" or (precision == "auto" and has_native_bf16(device)):
        return torch.bfloat16
    return torch.float32


def precision_name(precision: str) -> str:
    """`fp32` or `bf16`: what *precision* comes to on this machine's device; anything else unchanged.

    A part from elsewhere may have number formats of its own; ours refuse such a value when they are built.
    """
    if precision not in PRECISIONS:
        return str(precision)
    import torch

    dtype = resolve_precision(precision, "cuda" if torch.cuda.is_available() else "cpu")
    return "bf16" if dtype is torch.bfloat16 else "fp32"


def padded_width(longest: int, dtype: torch.dtype, *, most: int | None = None) -> int:
    """How many tokens wide a batch is whose longest text has *longest* tokens, at most *most*.

    In bfloat16 a multiple of 16. What is left of a row beyond that is summed in another order, which fp32 shows in the
    seventh digit and bfloat16 in the third. So a text would get another result with every width, and the width depends
    on the texts that happen to be beside it (those not yet in the cache, say). At multiples of 16 the results were
    equal to the bit, whatever the width and the number of texts (AVX512-BF16).
    """
    import torch

    width = longest if dtype == torch.float32 else -(-longest // 16) * 16
    return width if most is None else min(width, max(most, longest))


def has_native_bf16(device: str | torch.device = "cpu") -> bool:
    """Whether *device* has instructions for bfloat16 matrix products."""
    import torch

    kind = torch.device(device).type
    if kind == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if kind == "cpu":
        # No public call says this; both are the checks torch itself uses to pick kernels.
        return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return False

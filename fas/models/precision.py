"""One decision for all models: in which number format they run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fas.core.loading import loading

if TYPE_CHECKING:
    import torch

PRECISIONS = ("fp32", "bf16", "auto")


def choose_device(device: str | None = None) -> str:
    """*device*, or CUDA if there is one, else the processor."""
    with loading():
        import torch

    return device or ("cuda" if torch.cuda.is_available() else "cpu")


def resolve_precision(precision: str, device: str | torch.device = "cpu") -> torch.dtype:
    """The format of a model's weights and activations on *device*; a ValueError for none of the three.

    `fp32` is the reference. `auto` takes bfloat16 where it is faster (`is_bf16_faster`), half precision on cards that
    have it alone (`is_fp16_faster`), and fp32 elsewhere, which is more exact. `bf16` is obeyed everywhere.
    """
    if precision not in PRECISIONS:
        raise ValueError(f"`precision` must be one of {', '.join(PRECISIONS)}, got {precision!r}")
    import torch

    if precision == "bf16" or (precision == "auto" and is_bf16_faster(device)):
        return torch.bfloat16
    return torch.float16 if precision == "auto" and is_fp16_faster(device) else torch.float32


def precision_name(precision: str) -> str:
    """`fp32`, `bf16` or `fp16`: what *precision* comes to on this machine's device; anything else unchanged.

    A part from elsewhere may have number formats of its own; ours refuse such a value when they are built.
    """
    if precision not in PRECISIONS:
        return str(precision)
    import torch

    dtype = resolve_precision(precision, choose_device())
    return {torch.bfloat16: "bf16", torch.float16: "fp16"}.get(dtype, "fp32")


def padded_width(longest: int, dtype: torch.dtype, *, most: int | None = None, steady: bool = False) -> int:
    """How many tokens wide a batch is whose longest text has *longest* tokens, at most *most*.

    In bfloat16 a multiple of 16. What is left of a row beyond that is summed in another order, which fp32 shows in the
    seventh digit and bfloat16 in the third. So a text would get another result with every width, and the width depends
    on the texts that happen to be beside it (those not yet in the cache, say). At multiples of 16 the results were
    equal to the bit, whatever the width and the number of texts (AVX512-BF16). *steady*: a multiple of 16 in fp32, too,
    for a model that makes more of the seventh digit than a score may move (logits of `fas-nli-mini` moved by 9e-6 with
    the width, and by 1.4e-6 so), at 4 to 12% of the time. A longer text than *most* is as wide as it is.
    """
    import torch

    width = longest if dtype == torch.float32 and not steady else -(-longest // 16) * 16
    return width if most is None else min(width, max(most, longest))


def has_native_bf16(device: str | torch.device = "cpu") -> bool:
    """Whether *device* has instructions for bfloat16 matrix products, and ONEDNN_MAX_CPU_ISA does not hide them."""
    import torch

    kind = torch.device(device).type
    if kind == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)
    if kind == "cpu":
        # No public call says this; these are the checks torch itself uses to pick kernels.
        usable = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
        has = torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
        return bool(has and (usable is None or usable()))
    return False


def is_bf16_faster(device: str | torch.device = "cpu") -> bool:
    """Whether *device* computes sooner in bfloat16 than in fp32.

    CUDA from compute capability 8; processors with AMX; processors with AVX512-BF16, but not the server processors of
    Intel that have AVX512-FP16 too (Sapphire Rapids and later) where AMX is hidden, as in many virtual machines: their
    AVX512-BF16 was measured at half the rate of fp32, and the verifier at 0.7 of it (Emerald Rapids, two cores).
    Versions of torch without `torch.cpu.get_capabilities` do not say, and count as the faster ones.
    """
    import torch

    if not has_native_bf16(device):
        return False
    if torch.device(device).type != "cpu" or torch.cpu._is_amx_tile_supported():
        return True
    capabilities: dict[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    is_intel = "intel" in str(capabilities.get("cpu_name", "")).lower()
    return not (is_intel and capabilities.get("avx512_fp16"))


def is_fp16_faster(device: str | torch.device = "cpu") -> bool:
    """Whether *device* is a card whose matrix units know half precision and not bfloat16: capability 7 (V100, T4)."""
    import torch

    if torch.device(device).type != "cuda":
        return False
    return (7, 0) <= torch.cuda.get_device_capability(device) < (8, 0)

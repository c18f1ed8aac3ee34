"""Linear layers with their weights laid out for oneDNN: the same products sooner on processors.

Measured on two cores for the layers of MiniLM: fp32 a third faster, bfloat16 a tenth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fas.models.precision import has_native_bf16

if TYPE_CHECKING:
    import torch

# The layout depends slightly on the number of rows at once; this is about the size of an encoder's batch.
_ROWS = 1024


def pack_linear_layers(model: torch.nn.Module) -> int:
    """Replace the linear layers of *model* in place, and return how many were.

    Only for inference, and only layers in fp32 or bfloat16 on a processor: everything else, and every model where
    this torch has no oneDNN, is left as it is. Results differ in the last bits.
    """
    import torch

    if not (torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")):  # type: ignore[no-untyped-call]
        return 0
    # oneDNN refuses to lay out bfloat16 where the processor does not compute in it.
    formats = {torch.float32, torch.bfloat16} if has_native_bf16("cpu") else {torch.float32}
    replaced = 0
    for name, child in model.named_children():
        if type(child) is not torch.nn.Linear:
            replaced += pack_linear_layers(child)
        elif child.weight.device.type == "cpu" and child.weight.dtype in formats:
            setattr(model, name, _pack_layer(child, then=_take_activation(model, name)))
            replaced += 1
    return replaced


def _take_activation(model: torch.nn.Module, name: str) -> str:
    """What oneDNN computes in the same pass as layer *name*; the module that did it is taken out of *model*.

    Transformers' encoders of the BERT family keep the layer that widens and its GELU in one module; apart,
    the widest states of the model are written and read once more.
    """
    import torch
    from transformers.activations import GELUActivation

    after = getattr(model, "intermediate_act_fn", None)
    if name != "dense" or not isinstance(after, (GELUActivation, torch.nn.GELU)):
        return "none"
    if getattr(after, "approximate", "none") != "none" or getattr(after, "act", None) not in (
        None,
        torch.nn.functional.gelu,
    ):
        return "none"  # GELU by tanh, or computed step by step
    model.intermediate_act_fn = torch.nn.Identity()
    return "gelu"


def _pack_layer(layer: torch.nn.Linear, *, then: str) -> torch.nn.Module:
    import torch

    # How GELU is computed: by the error function.
    algorithm = "none" if then == "gelu" else ""

    class PackedLinear(torch.nn.Module):
        """A linear layer whose weight only oneDNN reads."""

        def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
            super().__init__()
            self.weight = torch.ops.mkldnn._reorder_linear_weight(weight, _ROWS)
            self.bias = bias

        def forward(self, states: torch.Tensor) -> torch.Tensor:
            result: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
                states, self.weight, self.bias, then, [], algorithm
            )
            return result

    return PackedLinear(layer.weight.detach(), None if layer.bias is None else layer.bias.detach())

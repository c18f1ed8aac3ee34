"""The number format of models."""

import pytest
import torch

from fas.models.precision import has_native_bf16, resolve_precision


def test_what_is_named_is_taken():
    assert resolve_precision("fp32", "cpu") == torch.float32
    assert resolve_precision("bf16", "cpu") == torch.bfloat16


NATIVE = [(False, False, False), (True, False, True), (False, True, True)]


@pytest.mark.parametrize(("avx512_bf16", "amx", "native"), NATIVE)
def test_auto_takes_bfloat16_where_the_processor_computes_in_it(monkeypatch, avx512_bf16, amx, native):
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx512_bf16)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    assert has_native_bf16("cpu") is native
    assert resolve_precision("auto", "cpu") == (torch.bfloat16 if native else torch.float32)


@pytest.mark.parametrize(("capability", "native"), [((7, 5), False), ((8, 0), True), ((9, 0), True)])
def test_auto_on_cuda_goes_by_the_compute_capability(monkeypatch, capability, native):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert has_native_bf16("cuda:0") is native


def test_other_devices_stay_with_fp32():
    assert resolve_precision("auto", "meta") == torch.float32


def test_an_unknown_precision_lists_the_choices():
    with pytest.raises(ValueError, match="`precision` must be one of fp32, bf16, auto, got 'fp16'"):
        resolve_precision("fp16")

"""The number format of models."""

import pytest
import torch

from fas.models.encoder import Encoder
from fas.models.nli import NliModel
from fas.models.precision import has_native_bf16, resolve_precision

NATIVE = [(False, False, True, False), (True, False, True, True), (False, True, True, True), (True, True, False, False)]


@pytest.mark.parametrize(("avx512_bf16", "amx", "usable", "native"), NATIVE)
def test_auto_takes_bfloat16_where_the_processor_computes_in_it(monkeypatch, avx512_bf16, amx, usable, native):
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: usable, raising=False)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: avx512_bf16)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: amx)
    monkeypatch.setattr(torch.cpu, "get_capabilities", dict, raising=False)
    assert has_native_bf16("cpu") is native
    assert resolve_precision("auto", "cpu") == (torch.bfloat16 if native else torch.float32)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_what_stands_beside_a_pair_and_how_many_threads_there_are_moves_no_bit_of_its_logits(precision):
    model = NliModel("fas-nli-mini", precision=precision)
    drugs = ("Aspirin", "Metformin", "Apixaban", "Iron")
    claims = [
        f"{drug} {how} the risk of {outcome}."
        for drug in drugs
        for how in ("lowers", "raises", "does not change")
        for outcome in ("stroke", "major bleeding")
    ]
    premises = [
        f"Stroke occurred in {3 + n}.{n}% with {drugs[n % 4]} and {6 + n}.1% with placebo (P = 0.0{n + 1})."
        + " It was given each day for a year, and nobody was lost to follow-up." * n
        for n in range(10)
    ]
    pairs = [(premise, claim) for premise in premises for claim in claims][::5]
    pairs.append(("It was given each day for a year. " * 40, claims[0]))  # has a row of its own
    together = model.logits(pairs)
    for pair, row in list(zip(pairs, together, strict=True))[::7]:
        assert (model.logits([pair])[0] == row).all()
    before = torch.get_num_threads()
    for threads in (1, 3, 4):
        torch.set_num_threads(threads)
        try:
            assert (model.logits(pairs) == together).all(), threads
        finally:
            torch.set_num_threads(before)


SENTENCES = [
    " ".join(["Zinc shortened colds", "in adults", "who took it early", "and were followed for a month"][:n] * k) + "."
    for k in (1, 2, 3, 5)
    for n in (1, 2, 3, 4)
]


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_vector_does_not_depend_on_the_texts_beside_it_or_on_the_threads(precision):
    encoder = Encoder(precision=precision)
    together = encoder.embed(SENTENCES)
    assert all((encoder.embed([text])[0] == row).all() for text, row in zip(SENTENCES, together, strict=True))
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    try:
        assert (encoder.embed(SENTENCES[::-1])[::-1] == together).all()
    finally:
        torch.set_num_threads(before)

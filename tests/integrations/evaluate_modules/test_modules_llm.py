"""The published scores as evaluate metrics: offline, against a local endpoint, in batches, and combined."""

from __future__ import annotations

import json
import math

import pytest
from chat_server import ChatServer

from fas.integrations.evaluate_modules.location import module_path

NAMES = ["dndscore", "factscore", "medscore", "veriscore"]
PREDICTION = "Ibuprofen lowers fever. It was first sold in 1969."
CLAIMS = ["Ibuprofen lowers fever.", "Ibuprofen was first sold in 1969."]
PASSAGES = ["Ibuprofen lowers fever in children and adults."]


def load(name, *args):
    import evaluate

    return evaluate.load(module_path(name), *args)


def model_that_finds_fever(request):
    """Two claims a sentence that speaks of fever; True for fever, False for the rest."""
    if "Statement:" in request.text:
        return "True" if "fever" in request.text.split("Statement:")[1].split("\n")[0] else "False"
    pairs = [{"subclaim": text, "decontextualised": f"{text} (long)"} for text in CLAIMS]
    if request.schema is not None:
        found = pairs if "SENTENCE" in request.text.upper() and "1969" not in _sentence(request.text) else []
        return json.dumps({"ambiguities": "", "pairs": found})
    return "\n".join(f"- {text}" for text in CLAIMS) if "1969" not in _sentence(request.text) else "No verifiable claim"


def _sentence(text):
    """What a request asks to take apart: the marked sentence, or the last line that names one."""
    if "<SOS>" in text:
        return text.split("<SOS>")[-1].split("<EOS>")[0]
    lines = [line for line in text.splitlines() if "sentence" in line.lower()]
    return lines[-1] if lines else text


@pytest.mark.parametrize("name", NAMES)
def test_given_claims_and_a_verifier_without_a_model_send_nothing_and_need_no_endpoint(name):
    result = load(name).compute(predictions=[PREDICTION], claims=[CLAIMS], passages=[PASSAGES], verify="lexical")
    # One of two claims is supported: share 1/2; K = 2, so that P = R = F1 = 1/2 as well.
    assert result[name] == 0.5
    assert (result["K"], result["n"], result["n_claims"], result["n_unverified"]) == (2, 1, 2, 0)
    assert result[f"{name}_ci"] == [None, None]
    assert result["scores"]["length_penalty"]["mean"] == pytest.approx(math.exp(-4))
    assert "claims:given|" in result["signature"]


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_method_against_a_local_endpoint(name, fresh_cache):
    with ChatServer(model_that_finds_fever) as server:
        metric = load(name)
        result = metric.compute(
            predictions=[PREDICTION, ""],
            passages=None if name == "medscore" else [PASSAGES, PASSAGES],
            questions=["What helps?", "What helps?"],
            model="test-model",
            base_url=server.url,
            n_resamples=50,
        )
    assert result["scores"]["factuality"]["mean"] == 0.5
    assert result["n_claims"] == 2
    assert result["scores"]["zero_claim_rate"]["mean"] == 0.5
    # VeriScore gives the empty answer 0; for the others it has no score.
    assert result[name] == (0.25 if name == "veriscore" else 0.5)
    assert result["n_unscored"] == (0 if name == "veriscore" else 1)
    part, version = ("dnd", 2) if name == "dndscore" else (name, 1)
    assert f"{part}[test-model,prompt={version}-" in result["signature"]
    assert any("calls in this run" in note for note in result["notes"])

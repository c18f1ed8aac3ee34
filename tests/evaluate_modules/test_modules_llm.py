"""The published scores as evaluate metrics: offline, against a local endpoint, in batches, and combined."""

from __future__ import annotations

import json
import math
import runpy
import sys
import types

import pytest
from chat_server import ChatServer

from fas.evaluate_modules.location import module_names, module_path
from fas.evaluate_modules.page import compute_lines
from fas.profile import PartSpec

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


def test_they_are_among_the_modules():
    assert set(NAMES) <= set(module_names())


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


def test_another_extractor_and_verifier_by_name(fresh_cache):
    with ChatServer(model_that_finds_fever) as server:
        local = {"model": "test-model", "base_url": server.url}
        metric = load("medscore")
        result = metric.compute(predictions=[PREDICTION], passages=[PASSAGES], verify="provided", **local)
        assert "|verify:provided[test-model" in result["signature"]
        result = metric.compute(predictions=[PREDICTION], passages=[PASSAGES], verify="nli", **local)
        assert "|verify:nli[fas-nli-mini" in result["signature"]
        n = len(server.log)
        result = metric.compute(predictions=[PREDICTION], extractor="spacy", **local)
        assert "claims:spacy[" in result["signature"]
        assert all("Statement:" in request.text for request in server.log[n:])


def test_the_scores_of_single_answers():
    result = load("factscore").compute(
        predictions=[PREDICTION, "Nothing.", "Ibuprofen lowers fever."],
        claims=[CLAIMS, [], CLAIMS[:1]],
        passages=[PASSAGES] * 3,
        verify="lexical",
        use_aggregator=False,
    )
    assert result["factscore"] == [0.5, None, 1.0]
    assert result["scores"]["factuality"]["mean"] == 0.75


def test_gamma_and_k_are_the_callers():
    given = {"predictions": [PREDICTION], "claims": [CLAIMS], "passages": [PASSAGES], "verify": "lexical"}
    assert load("factscore").compute(**given, gamma=2)["scores"]["length_penalty"]["mean"] == 1.0
    found = load("veriscore").compute(**given, at=10)
    # P = 1/2, R = 1/10: F1 = 0.1 / 0.6.
    assert found["veriscore"] == pytest.approx(1 / 6)
    assert found["K"] == 10
    with pytest.raises(ValueError, match=r"`at` must be a whole number of at least 1, got 0"):
        load("veriscore").compute(**given, at=0)
    with pytest.raises(ValueError, match="`gamma` must be at least 0"):
        load("veriscore").compute(**given, gamma=-1)


def test_batches_add_up_to_one_call():
    whole = load("medscore").compute(
        predictions=[PREDICTION, PREDICTION], claims=[CLAIMS, CLAIMS[:1]], passages=[PASSAGES] * 2, verify="lexical"
    )
    metric = load("medscore")
    metric.add_batch(predictions=[PREDICTION], claims=[CLAIMS], passages=[PASSAGES])
    metric.add(prediction=PREDICTION, claims=CLAIMS[:1], passages=PASSAGES)
    assert metric.compute(verify="lexical") == whole
    assert whole["medscore"] == 0.75


def test_it_combines_with_others():
    import evaluate

    both = evaluate.combine([module_path("factscore"), module_path("rouge")])
    result = both.compute(
        predictions=[PREDICTION], references=[PREDICTION], claims=[CLAIMS], passages=[PASSAGES], verify="lexical"
    )
    assert result["factscore"] == 0.5
    assert result["rouge1"] == pytest.approx(1.0)


def test_a_profile_file_takes_the_place_of_the_papers(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[claims]\nname = "given"\n[verify]\nname = "lexical"\nthreshold = 0.6\n')
    given = {"predictions": [PREDICTION], "claims": [CLAIMS], "passages": [PASSAGES]}
    result = load("medscore").compute(**given, profile=str(path))
    assert "verify:lexical[1,t=0.60]" in result["signature"]
    # A name is a configuration, too.
    assert "verify:nli[" in load("medscore", "mini").compute(**given)["signature"]


def test_mistakes_are_told():
    metric = load("medscore")
    with pytest.raises(TypeError, match=r"medscore has no option 'thresold'; available: .*threshold"):
        metric.compute(predictions=["x"], claims=[["x"]], passages=[["x"]], verify="lexical", thresold=0.8)
    with pytest.raises(LookupError, match=r"no verifier named 'lexicel'; did you mean 'lexical'\?"):
        metric.compute(predictions=["x"], claims=[["x"]], passages=[["x"]], verify="lexicel")
    with pytest.raises(ValueError, match="no evidence: no answer carries `passages`"):
        metric.compute(predictions=["x"], claims=[["x"]], verify="lexical")
    with pytest.raises(ValueError, match="judges from its own knowledge and reads no passages"):
        metric.compute(predictions=["x"], claims=[["x"]], passages=[["x"]], evidence="passages")


@pytest.mark.parametrize("name", NAMES)
def test_the_example_of_each_page_goes_into_the_metric(name, root, monkeypatch, fresh_cache):
    # gradio is not installed here; what the page would call is run with its own example.
    app = runpy.run_path(str(root / "metrics" / name / "app.py"))
    with ChatServer(model_that_finds_fever) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        lines = "\n".join(map(json.dumps, app["EXAMPLE"]))
        result = compute_lines(load(name), lines)
    assert result[name] == 0.5


def test_the_pages_ask_for_gradio_only(root, monkeypatch):
    built = []
    stand_in = types.SimpleNamespace(
        Interface=lambda **options: types.SimpleNamespace(launch=lambda: built.append(options["title"])),
        Textbox=lambda **options: None,
        JSON=lambda **options: None,
        Error=RuntimeError,
    )
    monkeypatch.setitem(sys.modules, "gradio", stand_in)
    for name in NAMES:
        runpy.run_path(str(root / "metrics" / name / "app.py"), run_name="__main__")
    assert built == NAMES


def test_the_main_metric_takes_a_published_profile_and_a_local_endpoint(fresh_cache):
    import evaluate

    with ChatServer(model_that_finds_fever) as server:
        metric = evaluate.load(module_path("fas"), "medscore")
        profile_without_models = {"claims": PartSpec("medscore"), "verify": PartSpec("internal")}
        llm = {"model": "test-model", "base_url": server.url}
        result = metric.compute(predictions=[PREDICTION], **profile_without_models, llm=llm, n_resamples=10)
    assert result["support@10"] == 0.5
    assert result["contra@10"] == 0.0
    assert any("contra@k is 0 by construction" in note for note in result["notes"])

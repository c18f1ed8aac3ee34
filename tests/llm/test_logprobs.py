"""Probabilities of verdicts from log-probabilities. Oracle: exp, sum and divide, over tokens written by hand."""

from __future__ import annotations

import json
import math

import pytest
from chat_server import ChatServer, Status, Text

from fas.cli import main
from fas.llm import RemoteModel
from fas.llm.logprobs import choice_logprobs
from fas.records import Case, Claim, Passage
from fas.verify.llm import ProvidedVerifier

TWO = (("true", "yes"), ("false", "no", "not"))
CASE = Case(Claim("Zinc shortens colds."), (Passage("Zinc shortened colds."),))


def token(text: str, value: float, **others: float) -> dict[str, object]:
    top = [{"token": text, "logprob": value}, *({"token": name, "logprob": p} for name, p in others.items())]
    return {"token": text, "logprob": value, "top_logprobs": top}


def test_the_spellings_of_a_choice_are_pooled_and_the_written_one_comes_first() -> None:
    tokens = [
        token("True", -0.5, **{" true": -2.0, "TRUE": -3.0, "Yes": -4.0, "False": -1.5, "false": -3.5, "The": -6.0})
    ]
    (first, true), (second, false) = choice_logprobs("True", tokens, TWO)
    assert (first, second) == ("true", "false")
    assert math.exp(true) == pytest.approx(sum(map(math.exp, (-0.5, -2.0, -3.0, -4.0))))
    assert math.exp(false) == pytest.approx(math.exp(-1.5) + math.exp(-3.5))


@pytest.mark.parametrize(
    "tokens",
    [None, "x", [], [{"token": "True"}], [{"token": 1}], [{"token": "True", "logprob": -0.1, "top_logprobs": None}],
     [token("Maybe", -0.1, The=-2.0)], [token("True", float("nan"))]],
)  # fmt: skip
def test_without_alternatives_at_a_deciding_token_nothing_is_known(tokens: object) -> None:
    assert choice_logprobs("True", tokens, TWO) == ()


def test_a_verdict_carries_the_softmax_of_its_words(fresh_cache) -> None:
    said = {"True": math.log(0.6), " true": math.log(0.1), "False": math.log(0.2), "Unclear": math.log(0.1)}
    with ChatServer(Text("True", logprobs=said), logprobs=True) as server:
        two = ProvidedVerifier(model="m", base_url=server.url)
        three = ProvidedVerifier(model="m", base_url=server.url, labels=3)
        by_word = ProvidedVerifier(model="m", base_url=server.url, probabilities="word")
        (of_two,), (of_three,), (of_word,) = (one.verify_claims([CASE]) for one in (two, three, by_word))
        assert server.probes == 1
        bodies = [(request.body.get("logprobs"), request.body.get("top_logprobs")) for request in server.log]
    assert (of_two.p_support, of_two.p_contradict) == (pytest.approx(0.7 / 0.9), 0.0)
    assert (of_three.p_support, of_three.p_contradict) == (pytest.approx(0.7), pytest.approx(0.2))
    assert (of_word.p_support, of_word.p_contradict) == (1.0, 0.0)
    assert bodies == [(True, 20), (True, 20), (None, None)]
    assert ["p=logprobs" in one.signature for one in (two, three, by_word)] == [True, True, False]


def test_a_server_without_log_probabilities_is_asked_for_the_word_alone(fresh_cache) -> None:
    with ChatServer("True") as server:
        verifier = ProvidedVerifier(model="m", base_url=server.url)
        (judgement,) = verifier.verify_claims([CASE])
        assert "logprobs" not in server.log[0].body
    assert judgement.p_support == 1.0
    assert "p=" not in verifier.signature


def test_a_smaller_number_of_alternatives_is_asked_for_where_a_server_refuses_twenty(fresh_cache) -> None:
    class Few(ChatServer):
        def _decide(self, request):
            if request.body.get("top_logprobs", 0) > 5:
                return Status(400, "top_logprobs must be at most 5")
            return super()._decide(request)

    said = {"True": -0.1, "False": -2.5}
    with Few(Text("True", logprobs=said), logprobs=True) as server:
        model = RemoteModel("m", base_url=server.url)
        (judgement,) = ProvidedVerifier(model=model).verify_claims([CASE])
    assert 0.5 < judgement.p_support < 1.0
    assert [request.body.get("top_logprobs") for request in server.log] == [20, 5]


def test_probabilities_are_kept_with_the_reply_and_need_no_second_request(fresh_cache) -> None:
    with ChatServer(Text("False", logprobs={"False": -0.4, "True": -1.2}), logprobs=True, port=0) as server:
        url = server.url
        (first,) = ProvidedVerifier(model="m", base_url=url).verify_claims([CASE])
    (again,) = ProvidedVerifier(model=RemoteModel("m", base_url=url, offline=True)).verify_claims([CASE])
    assert again == first
    assert 0.2 < first.p_support < 0.5


def test_a_dry_run_says_whether_verdicts_come_with_probabilities(tmp_path, fresh_cache, capsys) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        json.dumps({"id": "1", "prediction": "Zinc helps.", "claims": ["Zinc helps."], "passages": ["Zinc helps."]})
    )
    with ChatServer(Text("True", logprobs={"True": -0.1, "False": -2.5}), logprobs=True) as server:
        command = ["score", str(file), "--verify", "provided", "--model", "m", "--base-url", server.url]
        assert main([*command, "--dry-run"]) == 0
        assert "whether the server gives log-probabilities is not known yet" in capsys.readouterr().out
        assert server.probes == 0
        assert main([*command, "-o", str(tmp_path / "out"), "--no-safety", "--n-resamples", "20", "--quiet"]) == 0
        capsys.readouterr()
        assert main([*command, "--dry-run"]) == 0
        assert "verdicts carry the model's log-probabilities" in capsys.readouterr().out
    record = json.loads((tmp_path / "out" / "scores.jsonl").read_text())
    assert record["claims"][0]["p_support"] == pytest.approx(
        math.exp(-0.1) / (math.exp(-0.1) + math.exp(-2.5)), abs=1e-3
    )

"""Probabilities of verdicts from log-probabilities. Oracle: exp, sum and divide, over tokens written by hand."""

from __future__ import annotations

import math

import pytest
from chat_server import ChatServer, Status, Text

from fas.core.records import Case, Claim, Passage
from fas.llm import RemoteModel
from fas.llm.logprobs import find_choice_logprobs
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
    (first, true), (second, false) = find_choice_logprobs("True", tokens, TWO)
    assert (first, second) == ("true", "false")
    assert math.exp(true) == pytest.approx(sum(map(math.exp, (-0.5, -2.0, -3.0, -4.0))))
    assert math.exp(false) == pytest.approx(math.exp(-1.5) + math.exp(-3.5))


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

"""DnDScore beyond its profile: search by the longer form, and the question in the verifier's prompt."""

from __future__ import annotations

import pytest
from chat_server import ChatServer

import fas
from fas.errors import ProfileError
from fas.parts import verifiers
from fas.profile import PartSpec, load_profile
from fas.records import Case, Claim, Passage

ANSWER = {
    "prediction": "It may hurt the stomach.",
    "question": "Is ibuprofen safe?",
    "claims": [{"text": "It may hurt.", "context": "Ibuprofen may hurt the stomach."}],
    "passages": ["It may rain and it may hurt a little in winter.", "Ibuprofen may hurt the stomach."],
}


def first_passage(**search):
    profile = load_profile("mini").override(
        verify=PartSpec("lexical"), evidence="passages", evidence_options=search, safety=False, precision="fp32",
        n_resamples=20, k=1,
    )  # fmt: skip
    report = fas.score_answers([ANSWER], profile=profile)
    (verdict,) = report.answers[0].verdicts
    return verdict.evidence[0].passage.text, verdict.claim.text, str(report.signature)


def test_the_longer_form_is_searched_for_and_the_claim_is_judged(fresh_cache):
    by_claim, by_context = first_passage(), first_passage(search="context")
    assert by_claim[0] == ANSWER["passages"][0]
    assert by_context[0] == ANSWER["passages"][1]
    assert by_claim[1] == by_context[1] == "It may hurt."
    assert "search=context" in by_context[2]
    assert "search=" not in by_claim[2]
    with pytest.raises(ProfileError, match="`search` must be 'claim' or 'context'"):
        first_passage(search="sentence")


@pytest.mark.parametrize("labels", [2, 3])
def test_dnd_shows_the_question_where_there_is_one(labels, fresh_cache):
    claim = Claim("It may hurt.", context="Ibuprofen may hurt the stomach.")
    case = Case(claim, (Passage("P."),), "Is ibuprofen safe?")
    with ChatServer("True") as server:
        verifier = verifiers.create("dnd", model="m", base_url=server.url, labels=labels)
        verifier.verify_claims([case, case._replace(question=None)])
    texts = sorted((request.text for request in server.log), key=len)
    assert "Is ibuprofen safe?" in texts[1]
    assert "question" not in texts[0]
    assert "prompt=3-" in verifier.signature


@pytest.mark.parametrize(
    ("options", "text", "context"),
    [
        ({}, "It may hurt.", "Ibuprofen may hurt."),
        ({"form": "decontextualised"}, "Ibuprofen may hurt.", None),
    ],
)
def test_behind_rnd_dnd_judges_the_subclaim_and_form_says_otherwise(options, text, context, fresh_cache):
    def script(request):
        if "ambiguities" in str(request.schema):
            return '{"ambiguities": [{"expression": "It", "meaning": "Ibuprofen"}]}'
        if "statement" in str(request.schema):
            return '{"statement": "Ibuprofen may hurt."}'
        return "True" if "True or False?" in request.text else "- It may hurt."

    with ChatServer(script) as server:
        profile = load_profile("dndscore").override(
            claims=PartSpec("rnd", {"decontextualise": "after", **options}), evidence="passages", safety=False,
            precision="fp32", n_resamples=20, llm={"model": "m", "base_url": server.url},
            verify=PartSpec("dnd"),
        )  # fmt: skip
        answer = {**ANSWER, "claims": None}
        report = fas.score_answers([answer], profile=profile)
    (verdict,) = report.answers[0].verdicts
    assert (verdict.claim.text, verdict.claim.context) == (text, context)

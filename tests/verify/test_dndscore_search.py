"""DnDScore beyond its profile: search by the longer form, and the question in the verifier's prompt."""

from __future__ import annotations

import pytest
from chat_server import ChatServer

import fas
from fas.core.errors import ProfileError
from fas.core.parts import verifiers
from fas.core.profile import PartSpec, load_profile
from fas.core.records import Case, Claim, Passage

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

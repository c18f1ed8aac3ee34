"""Language-model verifiers through the real client against a local server: what is asked, what comes of it."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from chat_server import ChatServer, Status, Text

from fas.api import score_answers
from fas.core.errors import ProfileError
from fas.core.parts import verifiers
from fas.core.profile import PartSpec, Profile, load_profile
from fas.core.records import Answer, Case, Claim, Passage
from fas.llm.parts import with_parts
from fas.pipeline import Pipeline
from fas.scoring.verdicts.judge import judge

NAMES = ["internal", "provided", "retrieved", "dnd"]
CLAIM = Claim("It lowers fever.", 25, 41, context="Ibuprofen lowers fever.")
PASSAGES = (
    Passage("Ibuprofen lowers fever.", id="1", title="A trial"),
    Passage("Honey soothes a cough.", id="2"),
    Passage("Zinc was not studied.", id="3"),
)


pytestmark = pytest.mark.usefixtures("fresh_cache")


def make(name, server, **options):
    return verifiers.create(name, model="test-model", base_url=server.url, **options)


def one(verifier, *passages, claim=CLAIM, source=None):
    (judged,) = verifier.verify_claims([Case(claim, passages, "What helps?", source)])
    return judged


def test_all_passages_of_a_claim_are_in_one_request_best_first():
    with ChatServer("True") as server:
        judged = one(make("retrieved", server), *PASSAGES)
    assert (judged.p_support, judged.p_contradict) == (1.0, 0.0)
    (request,) = server.log
    places = [request.text.index(passage.text) for passage in PASSAGES]
    assert places == sorted(places)
    assert "Title: A trial\nIbuprofen lowers fever." in request.text
    assert "Statement: It lowers fever.\n" in request.text
    assert request.body["temperature"] == 0
    assert request.body["max_tokens" if "max_tokens" in request.body else "max_completion_tokens"] == 256


@pytest.mark.parametrize("k", [1, 5, 10, 15])
def test_k_passages_make_one_request_a_claim_whatever_k(k):
    passages = tuple(Passage(f"Finding number {i} on fever.", id=str(i)) for i in range(20))
    answer = Answer(
        "1", "Ibuprofen lowers fever.", passages=passages, claims=(Claim("Fever falls."), Claim("Fever rises."))
    )
    with ChatServer("True") as server:
        profile = Profile(claims=PartSpec("given"), verify=PartSpec("retrieved"), k=k, llm=_local(server))
        (score,) = Pipeline(profile.override(safety=False), has_passages=True).score([answer])
    assert len(server.log) == 2
    assert all(len(re.findall(r"Finding number", request.text)) == k for request in server.log)
    assert [len(verdict.evidence) for verdict in score.verdicts] == [k, k]
    # No passage has a probability of its own, and none is made up for it.
    evidence = score.as_dict(k)["claims"][0]["evidence"]
    assert {(item["p_support"], item["p_contradict"]) for item in evidence} == {(None, None)}
    assert score.as_dict(k)["claims"][0]["p_support"] == 1.0


@pytest.mark.parametrize(
    ("labels", "reply", "label"),
    [
        (2, "True", "supported"),
        (2, "False", "unsupported"),
        (2, "not true", "unsupported"),
        (2, "", "unverified"),
        (2, "True. False.", "unverified"),
        (2, Text("True", finish="length"), "unverified"),
        (2, Text(None, finish="stop", refusal="I will not."), "unverified"),
        (2, Text("True", finish="content_filter"), "unverified"),
        (2, "I'm sorry, I can't.", "unverified"),
        (3, "True", "supported"),
        (3, "False", "contradicted"),
        (3, "Unclear", "unsupported"),
        (3, "Not supported.", "unsupported"),
        (3, "probably", "unverified"),
    ],
)
@pytest.mark.parametrize("name", NAMES)
def test_what_a_reply_makes_of_a_claim(name, labels, reply, label):
    with ChatServer(reply) as server:
        verifier = make(name, server, labels=labels)
        passages = () if name == "internal" else PASSAGES[:1]
        verdict = judge(verifier, [Case(CLAIM, passages)], [None], threshold=0.7, evidence_less=False).verdicts[0]
    assert verdict.label == label
    assert (verdict.failure is not None) is (label == "unverified")
    assert not verdict.no_evidence


def test_one_claim_that_fails_leaves_the_others_alone():
    def script(request):
        if "number 3" in request.text:
            return Status(400, "this prompt is not allowed")
        return "True" if "number 1" in request.text else "hm"

    with ChatServer(script) as server:
        verifier = make("internal", server)
        cases = [Case(Claim(f"Fact number {i}.")) for i in range(5)]
        found = judge(verifier, cases, [None] * 5, threshold=0.7, evidence_less=True).verdicts
    assert [verdict.label for verdict in found] == ["unverified", "supported", "unverified", "unverified", "unverified"]
    assert "states no verdict: 'hm'" in found[0].failure
    assert "400" in found[3].failure


def test_nothing_found_is_unsupported_and_asks_nothing():
    with ChatServer("True") as server:
        found = judge(make("retrieved", server), [Case(CLAIM)], [None], threshold=0.7, evidence_less=False).verdicts[0]
    assert (found.label, found.no_evidence, server.log) == ("unsupported", True, [])


@pytest.mark.parametrize(("reply", "label"), [("True", "supported"), ("False", "unverified")])
def test_a_search_that_half_failed_leaves_what_was_not_read_open(reply, label):
    with ChatServer(reply) as server:
        verifier = make("retrieved", server)
        cases = [Case(CLAIM, PASSAGES[:1]), Case(CLAIM)]
        found = judge(verifier, cases, ["page 2 timed out", "no reply"], threshold=0.7, evidence_less=False).verdicts
    assert [verdict.label for verdict in found] == [label, "unverified"]
    assert len(server.log) == 1


# Any extractor, any evidence, any verifier.


def obliging(request):
    """Takes any sentence apart into itself and finds true what speaks of fever."""
    if "Statement:" in request.text:
        return "True" if "fever" in request.text.split("Statement:")[1].split("\n")[0] else "False"
    if request.schema is not None:
        pairs = [{"subclaim": "It lowers fever.", "decontextualised": "Ibuprofen lowers fever."}]
        return json.dumps({"ambiguities": "", "pairs": pairs})
    return "- Ibuprofen lowers fever.\n- Ibuprofen is sold in shops."


EXTRACTORS = ["spacy", "factscore", "veriscore", "medscore", "dnd", "given"]
EVIDENCE = ["passages", "none"]
VERIFIERS = [*NAMES, "nli", "lexical"]


@pytest.mark.parametrize(
    ("extractor", "verifier"),  # each of either kind with two of the other
    [pair for i, pair in enumerate(itertools.product(EXTRACTORS, VERIFIERS)) if (i // 6 - i) % 3 == 0],
)
def test_any_extractor_goes_with_any_evidence_and_any_verifier(extractor, verifier):
    row = {"prediction": "Ibuprofen lowers fever.", "question": "What helps?", "passages": [PASSAGES[0].text]}
    row |= {"claims": ["Ibuprofen lowers fever."]} if extractor == "given" else {}
    with ChatServer(obliging) as server:
        for evidence in EVIDENCE:
            profile = Profile(
                claims=PartSpec(extractor),
                verify=PartSpec(verifier),
                evidence=evidence,
                llm=_local(server),
                safety=False,
            )
            if verifier in NAMES and (verifier == "internal") != (evidence == "none"):
                with pytest.raises(ProfileError, match=r"reads no passages, but|judges by passages, but"):
                    score_answers([row], profile=profile, n_resamples=10)
                continue
            report = score_answers([row], profile=profile, n_resamples=10)
            labels = [verdict.label for verdict in report.answers[0].verdicts]
            assert labels
            assert report.n_failed == 0
            if verifier != "internal" and evidence == "none":
                assert set(labels) == {"unverified"}  # nobody was asked for evidence
            else:
                assert labels[0] == "supported"
                assert "unverified" not in labels


def test_a_verifier_without_passages_needs_no_evidence_to_be_named():
    row = {"prediction": "Ibuprofen lowers fever.", "claims": ["Ibuprofen lowers fever."], "passages": ["Noise."]}
    with ChatServer("True") as server:
        profile = Profile(claims=PartSpec("given"), verify=PartSpec("internal"), llm=_local(server), safety=False)
        report = score_answers([row], profile=profile, n_resamples=10)
    assert "|evidence:none|verify:internal[test-model,t=0.70,prompt=1-" in report.signature
    assert report.answers[0].verdicts[0].label == "supported"
    assert not report.answers[0].verdicts[0].no_evidence


# Prompts and options.


def test_a_prompt_of_the_users_takes_the_place_and_its_words_are_in_the_signature(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('version = 4\nlabels = 3\nuser = """Q: {question}\n\nIs "{claim}" so? {braces} stay."""\n')
    with ChatServer("False") as server:
        verifier = make("internal", server, prompt=str(path))
        assert one(verifier, claim=Claim("A {claim} in {passages}")).p_contradict == 1.0
        path.write_text('version = 4\nlabels = 3\nuser = """Is "{claim}" so?"""\n')
        other = make("internal", server, prompt=str(path))
    assert server.log[0].text == 'Q: What helps?\n\nIs "A {claim} in {passages}" so? {braces} stay.'
    assert re.search(r"prompt=4-[0-9a-f]{8},labels=3\]", verifier.signature)
    assert verifier.signature != other.signature


def test_the_signature_names_everything_that_changes_a_verdict():
    with ChatServer("True") as server:
        plain = make("retrieved", server).signature
        assert re.fullmatch(r"retrieved\[test-model,prompt=2-[0-9a-f]{8}\]", plain)
        others = [{"labels": 3}, {"order": "best_last"}, {"judge": "decontextualised"}, {"max_tokens": 8}]
        assert len({plain, *(make("retrieved", server, **options).signature for options in others)}) == 5


# The models of a run.


def test_the_profiles_are_the_papers_and_another_part_is_one_word():
    medscore = load_profile("medscore")
    assert (medscore.claims.name, medscore.claims.options["model"], medscore.k) == ("medscore", "gpt-4o-mini", 10)
    assert (medscore.verify.name, medscore.verify.options["model"]) == ("internal", "gpt-4o")
    assert load_profile("factscore").verify.options["order"] == "best_last"
    assert load_profile("veriscore").verify.options["labels"] == 3
    assert load_profile("dndscore").verify.name == "dnd"
    changed = with_parts(medscore, claims="veriscore", verify="nli", model="mine", base_url="http://127.0.0.1:1/v1")
    assert (changed.claims, changed.verify) == (PartSpec("veriscore"), PartSpec("nli"))
    assert changed.llm["model"] == "mine"
    kept = with_parts(medscore, model="mine")
    assert kept.verify == PartSpec("internal", {"max_tokens": 256, "labels": 2})
    assert with_parts(medscore) == medscore


def _local(server):
    return {"model": "test-model", "base_url": server.url}

"""The main job with small parts made here: what flows where, and what one item can ruin."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from fas.api import score_answers
from fas.core import parts
from fas.core.errors import EvidenceUnavailable, ProfileError
from fas.core.profile import PartSpec, Profile, Weights
from fas.core.records import Claim, Judgement, Passage, Retrieval
from fas.core.records.signature import Signature
from fas.pipeline import Pipeline, choose_evidence

NOTE = "Ibuprofen reduces fever in children. Honey is not safe for infants. Nothing else was studied."


class SentencesAsClaims:
    """One claim a full stop; an answer that holds BOOM raises."""

    signature = "sentences[1]"

    def extract(self, answers):
        if any("BOOM" in answer.prediction for answer in answers):
            raise RuntimeError("the extractor broke")
        return [
            [Claim(part.strip() + ".") for part in answer.prediction.split(".") if part.strip()] for answer in answers
        ]


class FussyRetriever:
    """Finds `NOTE` for most claims; fails, half fails or finds nothing where the claim says so."""

    def __init__(self, *, argument=None, k=5):
        self.signature = f"fussy[k={k}]"

    def retrieve(self, claims, answers):
        assert len(claims) == len(answers)
        return [self._one(claim.text) for claim in claims]

    def _one(self, text):
        if "raises" in text:
            raise ConnectionError("server is gone")
        if "unavailable" in text:
            raise EvidenceUnavailable("nothing can be fetched")
        if "fails" in text:
            return Retrieval(failure="HTTP 500")
        if "nothing" in text:
            return Retrieval()
        return Retrieval((Passage(NOTE),), failure="page 2 timed out" if "half" in text else None)


class FussyVerifier:
    """Supports everything, except where the claim says otherwise."""

    signature = "fussy"
    needs_evidence = True

    def verify(self, pairs):
        return [self._one(pair.claim.text) for pair in pairs]

    def _one(self, text):
        if "crash" in text:
            raise ValueError("cannot judge this")
        if "nan" in text:
            return Judgement(math.nan, 0.0)
        if "huge" in text:
            return Judgement(1.5, 0.0)
        return Judgement(0.1, 0.1) if "half" in text and "weak" in text else Judgement(0.9, 0.0)


class FromMemory:
    """Needs no passage."""

    signature = "memory"
    needs_evidence = False

    def verify(self, pairs):
        return [Judgement(0.8, 0.0) if pair.passage is None else Judgement(0.0, 0.8) for pair in pairs]


if "test-sentences" not in parts.extractors.names():
    parts.extractors.add("test-sentences", SentencesAsClaims)
    parts.retrievers.add("test-fussy", FussyRetriever)
    parts.verifiers.add("test-fussy", FussyVerifier)
    parts.verifiers.add("test-memory", FromMemory)

PLAIN = Profile(
    claims=PartSpec("test-sentences"), verify=PartSpec("lexical"), safety=False, n_resamples=50, precision="fp32"
)
FUSSY = replace(PLAIN, evidence="test-fussy", verify=PartSpec("test-fussy"))


def one(profile=PLAIN, **record):
    record.setdefault("prediction", "")
    report = score_answers([record], profile=profile)
    return report.answers[0]


def labels(score):
    return [verdict.label for verdict in score.verdicts]


def test_an_answer_flows_from_text_to_score_as_computed_by_hand():
    prediction = "Ibuprofen reduces fever. Honey is safe for infants. Bananas cure gout."
    score = one(prediction=prediction, passages=[NOTE], references="Ibuprofen reduces fever.")
    # The lexical verifier: all words of the first claim; those of the second beside a negation; none of the third.
    assert labels(score) == ["supported", "contradicted", "unsupported"]
    assert (score.support, score.contra, score.unsupported) == (1 / 3, 1 / 3, 1 / 3)
    assert score.verdicts[0].evidence[0].judgement.sentence == "Ibuprofen reduces fever in children."
    f1 = score.reference.bertscore_f1
    assert 0 < f1 <= 1
    assert score.fas == pytest.approx(0.3 * f1 + 0.4 / 3 + 0.3 * 2 / 3)
    assert score.fas_evidence == pytest.approx((0.4 / 3 + 0.2) / 0.7)


def test_claims_given_with_an_answer_are_verified_instead_of_extracted():
    score = one(prediction="Ibuprofen reduces fever. BOOM", passages=[NOTE], claims=["Ibuprofen reduces fever"])
    assert [(v.claim.text, v.claim.start, v.label) for v in score.verdicts] == [
        ("Ibuprofen reduces fever", 0, "supported")
    ]


def test_an_answer_that_breaks_the_extractor_carries_the_error_and_the_others_are_scored():
    answers = [
        {"id": name, "prediction": text, "passages": [NOTE]}
        for name, text in [("a", "Ibuprofen reduces fever."), ("b", "BOOM"), ("c", "Ibuprofen reduces fever.")]
    ]
    report = score_answers(answers, profile=PLAIN)
    assert [score.answer.id for score in report.answers] == ["a", "b", "c"]
    error = report.answers[1].error
    assert error is not None
    assert (error.type, error.line, error.field, error.message) == (
        "RuntimeError",
        2,
        "prediction",
        "the extractor broke",
    )
    assert [report.answers[i].support for i in (0, 2)] == [1.0, 1.0]
    assert (report.n, report.n_failed, report.metrics["support@5"].n) == (3, 1, 2)
    record = report.answers[1].as_dict(5)
    assert all(record[name] is None for name in ("fas", "fas_evidence", "support", "rouge1"))


def test_if_every_answer_fails_the_report_has_its_metrics_without_a_value():
    report = score_answers([{"prediction": "BOOM", "passages": []}], profile=PLAIN)
    assert (report.n, report.n_failed, report.n_unscored) == (1, 1, 0)
    assert report.metrics["fas"].n == 0
    nothing = {"mean": None, "low": None, "high": None, "n": 0, "interval": "none: too few (0)"}
    assert report.as_dict()["metrics"]["fas"] == nothing


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("This raises", "ConnectionError: server is gone"),
        ("This fails", "HTTP 500"),
        ("This is a crash", "ValueError: cannot judge this"),
        ("This is nan", "the verifier gave no probabilities: support nan, contradict 0.0"),
        ("This is huge", "the verifier gave no probabilities: support 1.5, contradict 0.0"),
        ("This is half weak", "page 2 timed out"),
    ],
)
def test_a_claim_whose_search_or_judgement_fails_is_unverified_and_only_that_claim(claim, reason):
    score = one(FUSSY, prediction=f"Good one. {claim}. Good two.")
    assert labels(score) == ["supported", "unverified", "supported"]
    assert score.verdicts[1].failure == reason
    assert (score.support, score.unsupported, score.counts.n_unverified) == (1.0, 0.0, 1)
    assert score.as_dict(5)["claims"][1]["failure"] == reason


def test_an_answer_of_which_every_claim_failed_is_unscored_and_not_zero():
    report = score_answers([{"prediction": "This fails."}], profile=FUSSY)
    assert (report.n_unscored, report.n_failed) == (1, 0)
    assert math.isnan(report.metrics["support@5"].mean)
    assert any("1 of 1 claims is unverified" in note for note in report.notes)


def test_evidence_that_is_gone_altogether_stops_the_run():
    with pytest.raises(EvidenceUnavailable, match="nothing can be fetched"):
        one(FUSSY, prediction="unavailable.")


def test_without_evidence_nothing_can_be_said():
    score = one(replace(PLAIN, evidence="none"), prediction="Ibuprofen reduces fever.")
    assert labels(score) == ["unverified"]
    assert score.verdicts[0].failure == "no evidence was asked for"
    assert not score.verdicts[0].no_evidence


def test_a_verifier_that_needs_no_passage_judges_without_one_only_where_none_was_asked_for():
    memory = replace(PLAIN, verify=PartSpec("test-memory"))
    assert labels(one(replace(memory, evidence="none"), prediction="A claim.")) == ["supported"]
    assert labels(one(replace(memory, evidence="passages"), prediction="A claim.", passages=[])) == ["unsupported"]
    assert labels(one(replace(memory, evidence="passages"), prediction="A claim.", passages=["x"])) == ["contradicted"]


def test_no_evidence_at_all_is_an_error_that_lists_the_choices():
    with pytest.raises(ValueError, match=r"passages \| index:DIR \| .* \| snapshot:FILE \| none"):
        one(prediction="x")
    assert choose_evidence(None, has_passages=True) == "passages"
    assert choose_evidence("entrez", has_passages=True) == "entrez"
    with pytest.raises(ProfileError, match="--evidence"):
        choose_evidence(None, has_passages=False)


def test_the_signature_pins_every_setting():
    profile = replace(PLAIN, k=3, threshold=0.75, weights=Weights(0.2, 0.5, 0.3), n_resamples=77, seed=5)
    report = score_answers([{"prediction": "x", "passages": ["y"]}], profile=profile)
    fields = Signature.parse(report.signature).fields
    assert list(fields) == [
        "n",
        "claims",
        "evidence",
        "verify",
        "ref",
        "bertscore",
        "prec",
        "w",
        "safety",
        "boot",
        "seed",
        "v",
    ]
    assert fields["n"] == "1"
    assert fields["claims"] == "sentences[1]"
    assert fields["evidence"] == "passages[k=3]"
    assert fields["verify"] == "lexical[1,t=0.75]"
    assert fields["prec"] == "fp32"
    assert fields["w"] == "0.20/0.50/0.30"
    assert fields["safety"] == "off"
    assert (fields["boot"], fields["seed"]) == ("77", "5")
    assert set(report.metrics) >= {"support@3", "contra@3", "unsupported@3"}


@pytest.mark.parametrize(("runs", "other"), [("fp32", "bf16"), ("bf16", "fp32")])
def test_a_part_with_a_number_format_of_its_own_says_so_in_its_signature(runs, other):
    profile = replace(PLAIN, verify=PartSpec("nli"), precision=runs, evidence="passages")

    def fields(**changes):
        return Pipeline(replace(profile, **changes), has_passages=True).settings()

    plain = fields()
    assert plain["prec"] == runs
    assert not any("prec" in plain[name] for name in ("evidence", "verify", "bertscore"))
    # The run's own format, named again, changes nothing.
    same = {"precision": runs}
    assert fields(verify=PartSpec("nli", same), reference=same, evidence_options=same) == plain
    own = {"precision": other}
    assert fields(verify=PartSpec("nli", own)) == plain | {"verify": f"{plain['verify'][:-1]},prec={other}]"}
    assert fields(reference=own) == plain | {"bertscore": f"{plain['bertscore'][:-1]},prec={other}]"}
    assert fields(evidence_options=own) == plain | {"evidence": f"{plain['evidence'][:-1]},prec={other}]"}
    core = fields(claims=PartSpec("spacy", {"filter": "core"}))
    assert core == fields(claims=PartSpec("spacy", {"filter": {"name": "core", **same}}))
    filtered = fields(claims=PartSpec("spacy", {"filter": {"name": "core", **own}}))
    assert filtered == core | {"claims": f"{core['claims'][:-1]},prec={other}]"}


def test_the_batch_an_answer_is_in_does_not_change_its_score():
    records = [
        {
            "id": str(i),
            "prediction": f"Ibuprofen reduces fever. Claim number {i}. " + "Honey is safe." * (i % 3),
            "passages": [NOTE],
        }
        for i in range(20)
    ]
    together = score_answers(records, profile=PLAIN).answers
    backwards = {score.answer.id: score for score in score_answers(records[::-1], profile=PLAIN).answers}
    alone = [score_answers([record], profile=PLAIN).answers[0] for record in records[:3]]
    for score in together:
        assert backwards[score.answer.id].as_dict(5) == score.as_dict(5)
    assert [score.as_dict(5) for score in alone] == [score.as_dict(5) for score in together[:3]]


def test_of_an_answer_in_two_languages_the_english_sentence_is_verified_and_the_other_one_says_why_not():
    greek = "Η ασπιρίνη μειώνει τον κίνδυνο εγκεφαλικού επεισοδίου στους ηλικιωμένους ασθενείς."
    row = {"prediction": f"👍 Aspirin prevents strokes. {greek}", "passages": ["Aspirin prevents strokes."]}
    given = {**row, "claims": ["Aspirin prevents strokes.", greek]}
    for one in score_answers([row, given], n_resamples=20).answers:
        english, other = one.verdicts
        assert english.label == "supported"
        assert (other.label, other.claim.text) == ("unverified", greek)
        assert other.failure.startswith("language: ")

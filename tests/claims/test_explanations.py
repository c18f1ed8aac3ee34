"""Explanations of models: reports about documents and options, talk about the task, bare decisions; real parser."""

import pytest

from fas.claims.extractor import SpacyClauses
from fas.claims.qa2d import state_decision
from fas.core.records import Answer
from fas.models.parser import load_parser


@pytest.fixture(scope="module")
def nlp():
    return load_parser()


def claims(nlp, prediction, question=None):
    return SpacyClauses(nlp=nlp).extract([Answer("1", prediction, question)])[0]


def texts(nlp, prediction, question=None):
    return [claim.text for claim in claims(nlp, prediction, question)]


# Reports


@pytest.mark.parametrize(
    "report",
    [
        "Document [0] states that ",
        "Document [2] also mentions that ",
        "Documents [1] and [3] suggest that ",
        "Document 3 also supports this, stating that ",
        "These documents provide strong evidence that ",
        "The majority of the documents suggest that ",
        "Overall, the evidence from these documents suggests that ",
        "According to the relevant documents, ",
        "According to the study above, ",
        "According to the abstract, ",
        "In Document 4, ",
        "Based on the provided documents, ",
        "Based on the information provided in the relevant documents, ",
        "Therefore, based on this information, ",
        "In light of these findings, ",
        "After reviewing all the documents, ",
        "Therefore, it can be concluded that ",
        "There is scientific literature that suggests ",
        "Therefore, the answer is A. yes, ",
        "The answer is (B) no, ",
        "Option B is incorrect because ",
        "Step 3: ",
    ],
)
def test_what_a_report_reports_is_the_claim_and_has_its_own_span(nlp, report):
    statement = "niraparib prolongs survival"
    found = claims(nlp, f"{report}{statement}.")
    assert [claim.text for claim in found] == ["Niraparib prolongs survival."]
    assert f"{report}{statement}."[found[0].start : found[0].end] == statement


# Talk about the task


@pytest.mark.parametrize(
    "sentence",
    [
        "The document directly addresses the question.",
        "The relevant documents provide information on the association between weight and height.",
        "Document [5] discusses the use of height-adjusted indices.",
        "The documents do not mention aspirin.",
        "There is no information in the documents about aspirin.",
        "There is no mention of a virus.",
        "To find out if aspirin helps, we need to look at the trials given.",
        "First, we can look for clinical trials or studies that have tested aspirin.",
        "Let's analyze this document.",
        "Step 1: Identify the question",
        "Therefore the correct answer is (A)",
        "Therefore, the answer is C. maybe.",
        "The question asks whether aspirin helps.",
    ],
)
def test_talk_about_documents_options_and_steps_is_no_claim(nlp, sentence):
    assert texts(nlp, sentence) == []


# Decisions


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        ("Does Axitinib prolong survival of pancreatic cancer patients?",
         "Axitinib prolongs survival of pancreatic cancer patients.",
         "Axitinib does not prolong survival of pancreatic cancer patients."),
        ("Is atenolol metabolized by CYP2D6?", "Atenolol is metabolized by CYP2D6.",
         "Atenolol is not metabolized by CYP2D6."),
        ("Is folate deficiency a common consequence of coeliac disease?",
         "Folate deficiency is a common consequence of coeliac disease.",
         "Folate deficiency is not a common consequence of coeliac disease."),
        ("Is there a role for TFII-I in megakaryopoiesis?", "There is a role for TFII-I in megakaryopoiesis.",
         "There is no role for TFII-I in megakaryopoiesis."),
        ("Is aspirin safe?", "Aspirin is safe.", "Aspirin is not safe."),
    ],
)  # fmt: skip
def test_a_decision_is_what_it_says_of_the_question(nlp, question, yes, no):
    assert state_decision(question, "Yes.", nlp) == yes
    assert state_decision(question, "No.", nlp) == no


@pytest.mark.parametrize(
    "prediction",
    ["Yes.", "**Answer:** Yes", "Answer: yes\n\nThat is all.", "A. yes", "Therefore, the answer is A. yes."],
)
def test_a_decision_anywhere_becomes_a_claim_with_its_span(nlp, prediction):
    found = claims(nlp, prediction, "Is aspirin safe?")
    assert [claim.text for claim in found] == ["Aspirin is safe."]
    assert "yes" in prediction[found[0].start : found[0].end].lower()

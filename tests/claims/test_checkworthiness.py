"""Fragments, talk, reports and stories: what states nothing, and what only resembles it."""

# ruff: noqa: E501 - a sentence is easier to read on one line

from __future__ import annotations

import pytest
from claim_texts import texts

from fas.claims.checkworthiness import states_nothing
from fas.core.records import Answer

GUM = "What happens if you swallow gum?"


@pytest.mark.parametrize(
    ("prediction", "question", "why"),
    [
        ("See https://example.org/aspirin", "Does aspirin prevent strokes?", "no statement"),
        ("Please see www.cdc.gov and https://nih.gov/zinc for more information.", "Does zinc help?", "no statement"),
        ("[image] [table]", "Does zinc help?", "no statement"),
        ("[Bild]", "Does zinc help?", "no statement"),
        ('<img src="zinc helps.png">', "Does zinc help?", "no statement"),
        ("(see attached file)", "Does zinc help?", "no statement"),
        ("[zinc]", "Which mineral shortens colds?", ""),
        ("swallowing gum", GUM, "repeats the question"),
        ("If one swallows gum", GUM, ""),
        ("Chewing gum", GUM, ""),
        ("The link to cancer is weak.", "Is zinc safe?", ""),
        ("See a doctor.", "Is zinc safe?", ""),
        ("Referring to a cardiologist", "What should follow?", ""),
        ("zinc", "Zinc or honey: which shortens colds?", ""),
    ],
)
def test_addresses_placeholders_and_echoes_state_nothing(prediction, question, why):
    assert states_nothing(prediction, question) == why


def test_a_cited_finding_keeps_its_hedge(extractor):
    sentence = "Some studies suggest that zinc shortens colds."
    assert texts(extractor, sentence) == [sentence]


def test_what_means_or_comes_because_is_said_without_the_pointer(extractor):
    found = texts(
        extractor,
        "Statins lower cholesterol. This means that they can prevent heart attacks. This is because plaques stop growing.",
    )
    assert found[-1] == "Plaques stop growing."


@pytest.mark.parametrize(
    "sentence",
    [
        "I spoke to your doctor. They would like to see you again.",
        "I had the same pain last year.",
        "You should not worry about the result.",
        "The question does not say which drug is meant.",
    ],
)
def test_what_is_told_of_writer_and_reader_is_no_claim(extractor, sentence):
    assert texts(extractor, sentence) == []


@pytest.mark.parametrize("own", ["They took a look at your results.", "They will work with you to find a solution."])
def test_what_a_doctor_does_for_this_reader_is_no_claim(extractor, own):
    assert texts(extractor, f"I spoke to your doctor. {own}") == []


def test_the_documents_that_a_sentence_is_taken_from_are_no_part_of_it(extractor):
    found = texts(extractor, "According to Document [1], Document [2], and Document [13], zinc shortens colds.")
    assert found == ["Zinc shortens colds."]


def test_a_denial_in_front_does_not_lose_the_sentence(extractor):
    assert texts(extractor, "Not necessarily, muscle pain is caused by work.") == ["Muscle pain is caused by work."]


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
        "Therefore, the answer is A. yes, ",
        "The answer is (B) no, ",
        "Step 3: ",
    ],
)
def test_what_a_report_reports_is_the_claim_and_has_its_own_span(extractor, report):
    statement = "niraparib prolongs survival"
    found = extractor.extract([Answer("1", f"{report}{statement}.")])[0]
    assert [claim.text for claim in found] == ["Niraparib prolongs survival."]
    assert f"{report}{statement}."[found[0].start : found[0].end] == statement


@pytest.mark.parametrize(
    "sentence",
    [
        "The document directly addresses the question.",
        "The relevant documents provide information on the association between weight and height.",
        "Document [5] discusses the use of height-adjusted indices.",
        "The documents do not mention aspirin.",
        "There is no information in the documents about aspirin.",
        "To find out if aspirin helps, we need to look at the trials given.",
        "First, we can look for clinical trials or studies that have tested aspirin.",
        "Let's analyze this document.",
        "Step 1: Identify the question",
        "Therefore the correct answer is (A)",
        "Therefore, the answer is C. maybe.",
        "The question asks whether aspirin helps.",
    ],
)
def test_talk_about_documents_options_and_steps_is_no_claim(extractor, sentence):
    assert texts(extractor, sentence) == []


@pytest.mark.parametrize(
    "sentence",
    [
        "Your doctor would like to see your mother again.",
        "Your doctor also wonders if a pump was considered.",
        "It's okay to talk openly about your feelings.",
        "If you would like to discuss this further, your doctor is here to support you.",
        "Without the records, it's challenging to provide more specific advice.",
    ],
)
def test_what_a_doctor_wants_or_offers_is_no_claim(extractor, sentence):
    assert texts(extractor, f"I spoke to your doctor. {sentence}") == []


@pytest.mark.parametrize(
    "prediction",
    [
        "Hello! How are you?",
        "I'm so sorry to hear that you are in pain.",
        "Let me know if you have any other questions.",
        "As an AI language model, I cannot give medical advice.",
        "Here are some tips:",
        "I had the same problem last year and it went away.",
        "This information is not a substitute for professional medical advice.",
        "What causes this?",
        "You are not alone.",
        "I spoke to your doctor about your question.",
        "Source: https://example.org/page",
        "[1] https://example.org",
        "```\nprint('Aspirin is a drug.')\n```",
        "",
        " \n\t\x00",
    ],
)
def test_what_states_nothing_is_no_claim(extractor, prediction):
    assert texts(extractor, prediction) == []

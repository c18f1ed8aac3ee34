"""The layers that look at words alone: openings, talk, imperatives, lists, inflections."""

import pytest

from fas.claims.checkworthiness import is_question, is_talk, opening
from fas.claims.clauses import capitalised, finished, third_person
from fas.claims.normalisation import commanded
from fas.reading.mapped import Mapped


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("It's important to note that aspirin helps.", "aspirin helps."),
        ("However, aspirin helps.", "aspirin helps."),
        ("Also, please note that aspirin helps.", "aspirin helps."),
        ("Note: aspirin helps.", "aspirin helps."),
        ("In my opinion, aspirin helps.", "aspirin helps."),
        ("According to the CDC, aspirin helps.", "aspirin helps."),
        ("They also mentioned that aspirin helps.", "aspirin helps."),
        ("Your doctor wants to reassure you that aspirin helps.", "aspirin helps."),
        ("I think the drug helps.", "the drug helps."),
        ("Yes, aspirin helps.", "aspirin helps."),
        ("Aspirin helps.", "Aspirin helps."),
        ("According to the label, take one.", "According to the label, take one."),
        ("Now is the time.", "Now is the time."),
        ("First-line drugs help.", "First-line drugs help."),
    ],
)
def test_openings_add_nothing(text, rest):
    assert text[opening(text) :] == rest


@pytest.mark.parametrize(
    "text",
    [
        "Good practice is to wash hands.",
        "Dear patients often ask for help with dosing costs.",
        "Aspirin may be hard to swallow.",
        "Ask a doctor if you have questions about dosing.",
        "Here the dose is 5 mg.",
    ],
)
def test_statements_are_not_taken_for_talk(text):
    if text.startswith("Dear"):
        assert is_talk(text)
    else:
        assert not is_talk(text)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Is it safe?", True),
        ("What is aspirin", True),
        ('He asked "why?"', True),
        ("What helps is rest.", False),
        ("Aspirin helps.", False),
    ],
)
def test_questions(text, asks):
    assert is_question(text) is asks


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Swallow it whole.", "You should swallow it whole."),
        ("Please do not drink milk.", "You should not drink milk."),
        ("Never mix bleach with acid.", "You should not mix bleach with acid."),
        ("Don't forget to take it with food.", "You should take it with food."),
        ("If you feel sick, call your doctor.", "If you feel sick, you should call your doctor."),
        ("Make sure to rest well.", "You should rest well."),
        ("Your doctor recommends that you see a dentist.", "You should see a dentist."),
        ("They advise you not to drive.", "You should not drive."),
        ("They also suggest resting if the pain lasts.", None),
        ("Your doctor advises against driving.", None),
        ("Rest is important.", None),
        ("Treatment is simple.", None),
        ("Take-home tests exist.", None),
        ("They recommend that you are careful.", None),
        ("Aspirin helps.", None),
    ],
)
def test_imperatives_are_given_a_subject(text, told):
    found = commanded(Mapped.whole(text), None)
    assert (found.text if found else None) == told


def test_a_subject_put_in_has_no_source():
    found = commanded(Mapped.whole("Swallow it."), None)
    assert found.span(0, len("You should ")) is None
    assert found.span() == (0, 11)


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (", and rest helps", "Rest helps."),
        ("rest helps (", "Rest helps."),
        ("rest helps ( ) now", "Rest helps now."),
        ("pH matters", "pH matters."),
        ("mRNA vaccines help!", "mRNA vaccines help."),
        ("5 mg is enough", "5 mg is enough."),
        ("so far it works", "So far it works."),
        ("it helps, , a lot", "It helps, a lot."),
        ("the goal is the", ""),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_claim_is_finished_as_a_sentence(raw, sentence):
    assert finished(raw) == sentence


def test_capital_letters():
    assert capitalised("(aspirin) helps") == "(Aspirin) helps"
    assert capitalised("ßpecial") == "ßpecial"


@pytest.mark.parametrize(
    ("lemma", "third"),
    [
        ("take", "takes"),
        ("stop", "stops"),
        ("lie", "lies"),
        ("carry", "carries"),
        ("see", "sees"),
        ("be", "is"),
        ("wash", "washes"),
        ("avoid", "avoids"),
    ],
)
def test_inflections(lemma, third):
    assert third_person(lemma) == third

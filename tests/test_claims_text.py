"""The layers that look at words alone: openings, talk, imperatives, lists, inflections."""

import pytest

from fas.claims.advice import commanding
from fas.claims.clause import capitalised, finished, third_person
from fas.claims.compose import Shape, demands_more, split_label, with_heading, with_label, with_lead
from fas.claims.frames import is_question, is_talk, opening
from fas.reading.commands import commands
from fas.reading.mapped import Mapped

FRAGMENT = Shape(False, False, False, True, False)
SENTENCE = Shape(True, False, False, False, False)


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
    found = commanding(Mapped.whole(text), None)
    assert (found.text if found else None) == told


def test_a_subject_put_in_has_no_source():
    found = commanding(Mapped.whole("Swallow it."), None)
    assert found.span(0, len("You should ")) is None
    assert found.span() == (0, 11)


@pytest.mark.parametrize(
    ("text", "commanded"),
    [("Take it.", True), ("Do not take it.", True), ("Rest helps.", False), ("Aspirin helps.", False)],
)
def test_commands_by_their_words(text, commanded):
    assert commands(text) is commanded


@pytest.mark.parametrize(
    ("lead", "shape", "item", "sentence"),
    [
        ("Common side effects include:", FRAGMENT, "Nausea", "Common side effects include nausea"),
        ("Symptoms may include the following:", SENTENCE, "Fever", "Symptoms may include fever"),
        ("The following side effects may occur:", SENTENCE, "Rash", "side effects that may occur include rash"),
        ("Here are some common symptoms of flu:", FRAGMENT, "Fever", "common symptoms of flu include fever"),
        ("Side effects:", Shape(False, False, True, True, False), "Rash", "Side effects include rash"),
        (
            "Aspirin can cause several side effects:",
            SENTENCE,
            "Rash",
            "Aspirin can cause several side effects including rash",
        ),
        (
            "You should call if you have any of these symptoms:",
            SENTENCE,
            "Chest pain",
            "You should call if you have chest pain",
        ),
        ("Here are some tips:", FRAGMENT, "Rest", None),
        ("I hope this helps:", SENTENCE, "Rest", None),
    ],
)
def test_items_complete_their_lead_in(lead, shape, item, sentence):
    found = with_lead(Mapped.whole(lead), shape, Mapped.whole(item, 100), FRAGMENT)
    assert (found.text if found else None) == sentence
    if found:
        assert found.span() == (100, 100 + len(item))


def test_a_circumstance_leads_in_an_advice():
    found = with_lead(
        Mapped.whole("To relieve symptoms:"),
        FRAGMENT,
        Mapped.whole("Drink water."),
        Shape(False, True, False, False, False),
    )
    assert found is not None
    assert found.text == "To relieve symptoms, drink water."


def test_a_condition_leads_in_a_statement():
    found = with_lead(
        Mapped.whole("Seek help if:"), Shape(False, True, False, False, False), Mapped.whole("The pain lasts"), SENTENCE
    )
    assert found is not None
    assert found.text == "Seek help if the pain lasts"


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("Treatment", "treatment includes rest"),
        ("Side Effects", "side Effects include rest"),
        ("Causes of pain:", "causes of pain include rest"),
        ("Overview", None),
        ("What is it?", None),
        ("5 tips", None),
    ],
)
def test_headings_that_name_a_list(heading, sentence):
    found = with_heading(Mapped.whole(heading), Mapped.whole("rest"), FRAGMENT)
    assert (found.text if found else None) == sentence


@pytest.mark.parametrize(
    ("label", "rest", "sentence"),
    [
        ("Type 1", "an autoimmune disease", "Type 1 is an autoimmune disease"),
        ("Symptoms", "Fever, cough", "Symptoms include fever, cough"),
        ("Dose", "500 mg daily", "Dose is 500 mg daily"),
        ("Note", "500 mg daily", None),
        ("Dose", "for adults", None),
    ],
)
def test_labels_become_subjects(label, rest, sentence):
    found = with_label(Mapped.whole(label), Mapped.whole(rest), FRAGMENT)
    assert (found.text if found else None) == sentence


def test_a_label_is_split_off_at_its_colon():
    label, rest = split_label(Mapped.whole("Dose: 5 mg"))
    assert (label.text, rest.text) == ("Dose", "5 mg")
    assert split_label(Mapped.whole("The ratio is 1:2 here"))[0] is None


def test_a_lead_in_that_says_nothing_alone():
    assert demands_more("Side effects include:")
    assert demands_more("Call if you notice any of the following:")
    assert not demands_more("Diabetes has two types:")


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

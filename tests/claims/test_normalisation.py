"""Commands and advice as statements."""

import pytest
from claim_texts import texts


def test_commands_of_which_one_points_at_the_other_stay_together(extractor):
    found = texts(extractor, "Clean the wound with soap and water and keep it dry.")
    assert found == ["Patients should clean the wound with soap and water and keep it dry."]


@pytest.mark.parametrize(
    ("told", "claims"),
    [
        (
            "They suspect that your rash is caused by an allergy.",
            ["It is likely that a patient's rash is caused by an allergy."],
        ),
        ("They think it might be due to earwax.", ["It might be due to earwax."]),
        ("They do not think that antibiotics help.", ["It is unlikely that antibiotics help."]),
        ("They recommend using a cream.", ["It is recommended to use a cream."]),
        ("They recommend rest and fluids.", ["Rest is recommended.", "Fluids are recommended."]),
        ("They recommend that you have a urinalysis.", ["It is recommended that patients have a urinalysis."]),
        ("They strongly advise against smoking.", ["A doctor strongly advises against smoking."]),
        (
            "They believe that it is gout and would like to test.",
            ["A doctor believes that it is gout and would like to test."],
        ),
    ],
)
def test_what_a_doctor_thinks_or_recommends_is_said_without_the_doctor_and_keeps_its_hedge(extractor, told, claims):
    assert texts(extractor, f"I spoke to your doctor. {told}") == claims


def test_what_a_doctor_does_not_believe_is_unlikely(extractor):
    said = "I spoke to your doctor. They don't think that the cyst is cancer."
    assert texts(extractor, said) == ["It is unlikely that the cyst is cancer."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Be aware of the risks of long-term steroid use.",
         "Patients should be aware of the risks of long-term steroid use."),
        ("Don't be afraid to ask your doctor for help.", "Patients should not be afraid to ask a doctor for help."),
        ("Try to be open with your doctor.", "Patients should be open with a doctor."),
        ("Always wear sunscreen when you are outside and reapply it often.",
         "Patients should wear sunscreen when they are outside and reapply it often."),
        ("Swallow capsules whole; do not crush, chew, open or mix them with water.",
         "Patients should swallow capsules whole; do not crush, chew, open or mix them with water."),
    ],
)  # fmt: skip
def test_advice_on_what_to_be_and_on_two_things_reads_as_english(extractor, text, expected):
    assert texts(extractor, text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "If you have chest pain, call 911 at once and chew 325 mg of aspirin unless you're allergic.",
            [
                "If patients have chest pain, they should call 911 at once and chew 325 mg of aspirin unless they are "
                "allergic."
            ],
        ),
        ("Stop taking ibuprofen and call your doctor if you have black stools.",
         ["Patients should stop taking ibuprofen and call a doctor if they have black stools."]),
        ("Do not take ibuprofen and avoid alcohol.",
         ["Patients should not take ibuprofen.", "Patients should avoid alcohol."]),
        (
            "If you've had a drink, don't panic, but watch for symptoms and seek medical help if they're severe.",
            [
                "If patients have had a drink, they should not panic, but watch for symptoms and seek medical help if "
                "they are severe."
            ],
        ),
        ("Wash your hands and your face.", ["Patients should wash their hands.", "Patients should wash their face."]),
        ("Do not crush or chew the tablets.", ["Patients should not crush or chew the tablets."]),
        ("Keep the tablets out of the sight and reach of children.",
         ["Patients should keep the tablets out of the sight and reach of children."]),
        ("If your INR is above 4.5, stop warfarin.", ["If the INR is above 4.5, patients should stop warfarin."]),
    ],
)  # fmt: skip
def test_commands_in_a_row_are_each_what_they_recommend_or_forbid(extractor, text, expected):
    assert texts(extractor, text) == expected


def test_a_prohibition_keeps_how_and_without_what(extractor):
    assert texts(extractor, "Do not abruptly stop taking sertraline without consulting a doctor.") == [
        "Patients should not abruptly stop taking sertraline without consulting a doctor."
    ]


def test_imperatives_are_stated(extractor):
    found = texts(
        extractor, "Take ibuprofen for the pain. Drink plenty of fluids. Avoid alcohol while taking metronidazole."
    )
    assert found == [
        "Patients should take ibuprofen for the pain.",
        "Patients should drink plenty of fluids.",
        "Patients should avoid alcohol while taking metronidazole.",
    ]

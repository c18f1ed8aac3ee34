"""What stands in front of a sentence, what a relative clause is of, and names in lists: with the embedded parser."""

from __future__ import annotations

import pytest

from fas.claims.extractor import SpacyClauses
from fas.core.records import Answer


@pytest.fixture(scope="module")
def claims():
    extractor = SpacyClauses(cache=False)
    return lambda text: [claim.text for claim in extractor.extract([Answer(id="a", prediction=text)])[0]]


@pytest.mark.parametrize(
    ("sentence", "second"),
    [
        # some of the cases
        ("In some cases, surgery is needed, but most patients recover without it.",
         "Most patients recover without it."),
        # another group of people
        # a place of its own
        ("In the liver, paracetamol is metabolised, and the metabolites are excreted in urine.",
         "The metabolites are excreted in urine."),
        # of the text, not of the matter
        ("In general, paracetamol is safe, but ibuprofen is risky.", "Ibuprofen is risky."),
        # a date
        ("In 2019, surgeons used the device, and the company sold it.", "The company sold it."),
        # another time
        ("In mice, the vaccine prevented infection, but trials are needed.", "Trials are needed."),
    ],
)  # fmt: skip
def test_a_circumstance_of_the_first_clause_alone_stays_with_it(claims, sentence, second):
    assert claims(sentence)[-1] in {second, sentence}  # apart and without it, or not taken apart


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
def test_advice_on_what_to_be_and_on_two_things_reads_as_english(claims, text, expected):
    assert claims(text) == [expected]


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
        ("Wash your hands and face.", ["Patients should wash their hands and face."]),
        ("Do not crush or chew the tablets.", ["Patients should not crush or chew the tablets."]),
        ("Keep the tablets out of the sight and reach of children.",
         ["Patients should keep the tablets out of the sight and reach of children."]),
        ("If your INR is above 4.5, stop warfarin.", ["If the INR is above 4.5, patients should stop warfarin."]),
    ],
)  # fmt: skip
def test_commands_in_a_row_are_each_what_they_recommend_or_forbid(claims, text, expected):
    assert claims(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't:\n- Give aspirin\n- Use alcohol baths",
         ["Patients should not give aspirin.", "Patients should not use alcohol baths."]),
        ("❌ Don't:\n- Take ibuprofen every day", ["Patients should not take ibuprofen every day."]),
        ("**🚫 Never:**\n* Mix bleach with ammonia", ["Patients should not mix bleach with ammonia."]),
        ("You should not:\n- Give aspirin\n- Stop the drug suddenly",
         ["Patients should not give aspirin.", "Patients should not stop the drug suddenly."]),
        (
            "### What not to do\n- Give aspirin\n- Giving honey before one year\n- Don't use ice",
            [
                "Patients should not give aspirin.",
                "Patients should avoid giving honey before one year.",
                "Patients should not use ice.",
            ],
        ),
        ("Never:\n- Mix bleach with ammonia", ["Patients should not mix bleach with ammonia."]),
        ("Start with 1 mg before bed, and don't exceed 5 mg.",
         ["Patients should start with 1 mg before bed.", "Patients should not exceed 5 mg."]),
    ],
)  # fmt: skip
def test_what_stands_under_a_prohibition_is_never_recommended(claims, text, expected):
    assert claims(text) == expected


def test_a_cross_before_a_command_forbids_it(claims):
    assert claims("- ❌ Take sildenafil with nitroglycerin\n- ✅ Drink water") == [
        "Patients should not take sildenafil with nitroglycerin.",
        "Patients should drink water.",
    ]
    assert claims("🚫 Mix bleach with ammonia") == ["Patients should not mix bleach with ammonia."]
    assert claims("❌ Avoid alcohol.") == ["Patients should avoid alcohol."]
    assert claims("- ❌ Ibuprofen is unsafe in pregnancy.") == ["Ibuprofen is unsafe in pregnancy."]

"""What stands in front of a sentence, what a relative clause is of, and names in lists: with the embedded parser."""

from __future__ import annotations

import pytest

from fas.claims.extractor import SpacyClauses
from fas.records import Answer


@pytest.fixture(scope="module")
def claims():
    extractor = SpacyClauses(cache=False)
    return lambda text: [claim.text for claim in extractor.extract([Answer(id="a", prediction=text)])[0]]


@pytest.mark.parametrize(
    ("sentence", "second"),
    [
        # some of the cases
        (
            "In some cases, surgery is needed, but most patients recover without it.",
            "Most patients recover without it.",
        ),
        # another group of people
        # a place of its own
        (
            "In the liver, paracetamol is metabolised, and the metabolites are excreted in urine.",
            "The metabolites are excreted in urine.",
        ),
        # of the text, not of the matter
        ("In general, paracetamol is safe, but ibuprofen is risky.", "Ibuprofen is risky."),
        # a date
        ("In 2019, surgeons used the device, and the company sold it.", "The company sold it."),
        # another time
        ("In mice, the vaccine prevented infection, but trials are needed.", "Trials are needed."),
    ],
)
def test_a_circumstance_of_the_first_clause_alone_stays_with_it(claims, sentence, second):
    assert claims(sentence)[-1] in {second, sentence}  # apart and without it, or not taken apart


def test_a_second_clause_without_its_verb_is_no_claim_of_its_own(claims):
    for sentence in (
        "Aspirin thins the blood, and ibuprofen does too.",
        "Some people feel tired, and others do not.",
    ):
        assert claims(sentence) == [sentence]
    assert claims("There is no cure for shingles, but there are medicines.") == [
        "There is no cure for shingles.",
        "There are medicines.",
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Ibuprofen is an NSAID, which means it reduces inflammation.",
            ["Ibuprofen is an NSAID, which means it reduces inflammation."],
        ),
        (
            "Insulin is produced in the pancreas, which is located behind the stomach.",
            ["Insulin is produced in the pancreas.", "The pancreas is located behind the stomach."],
        ),
    ],
)
def test_what_a_relative_clause_says_is_said_of_what_it_is_of(claims, sentence, expected):
    assert claims(sentence) == expected


def test_it_after_a_report_may_be_the_report_or_what_it_is_about(claims):
    for sentence in (
        "Some early evidence suggests that iron working may have begun there, but it did not become widespread.",
        "One report shows that zinc may shorten colds, but it may also cause nausea.",
    ):
        assert claims(sentence) == [sentence]


@pytest.mark.parametrize(
    "sentence",
    [
        "Migraine is a common cause of headache, which is treated with triptans.",
        "Statins lower plaque in the aorta, which is the main cause of heart attacks.",
    ],
)
def test_a_relative_clause_that_may_be_of_either_noun_stays(claims, sentence):
    assert claims(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Be aware of the risks of long-term steroid use.",
            "Patients should be aware of the risks of long-term steroid use.",
        ),
        ("Don't be afraid to ask your doctor for help.", "Patients should not be afraid to ask a doctor for help."),
        ("Try to be open with your doctor.", "Patients should be open with a doctor."),
        (
            "Always wear sunscreen when you are outside and reapply it often.",
            "Patients should wear sunscreen when they are outside and reapply it often.",
        ),
        (
            "Swallow capsules whole; do not crush, chew, open or mix them with water.",
            "Patients should swallow capsules whole; do not crush, chew, open or mix them with water.",
        ),
    ],
)
def test_advice_on_what_to_be_and_on_two_things_reads_as_english(claims, text, expected):
    assert claims(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I spoke to your doctor and they noted that chest drains are typically reserved for patients "
            "with large effusions, which it sounds like your sister has had.",
            [
                "Chest drains are typically reserved for patients with large effusions, which it sounds like their "
                "sister has had."
            ],
        ),
        (
            "I spoke to your doctor. It's too soon to say if your sister is resistant to treatment.",
            ["It's too soon to say if a patient's sister is resistant to treatment."],
        ),
    ],
)
def test_what_is_general_in_words_on_one_reader_is_kept(claims, text, expected):
    assert claims(text) == expected


def test_a_plural_verb_that_was_taken_for_an_infinitive_makes_a_clause(claims):
    sentence = "The signs of scabies, such as burrows, vary depending on the affected skin area."
    assert claims(sentence) == [sentence]


def test_a_member_of_a_list_does_not_begin_with_its_comma(claims):
    found = claims(
        "Coeliac disease can cause several complaints, including bloating, fatigue, changes in weight, mouth ulcers, "
        "and difficulty conceiving."
    )
    assert found[3] == "Coeliac disease can cause several complaints, including mouth ulcers."
    assert len(found) == 5


def test_a_command_and_a_prohibition_on_what_to_be_are_two_statements(claims):
    assert claims("Be patient, and don't be discouraged by setbacks.") == [
        "Patients should be patient.",
        "Patients should not be discouraged by setbacks.",
    ]


def test_verbs_of_one_infinitive_are_not_said_to_be_done(claims):
    sentence = "The cells need to survive the journey, avoid attacks by the immune system, and find a place to grow."
    assert claims(sentence) == [sentence]


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
        (
            "Stop taking ibuprofen and call your doctor if you have black stools.",
            ["Patients should stop taking ibuprofen and call a doctor if they have black stools."],
        ),
        (
            "Do not take ibuprofen and avoid alcohol.",
            ["Patients should not take ibuprofen.", "Patients should avoid alcohol."],
        ),
        (
            "If you've had a drink, don't panic, but watch for symptoms and seek medical help if they're severe.",
            [
                "If patients have had a drink, they should not panic, but watch for symptoms and seek medical help if "
                "they are severe."
            ],
        ),
        ("Wash your hands and face.", ["Patients should wash their hands and face."]),
        ("Do not crush or chew the tablets.", ["Patients should not crush or chew the tablets."]),
        (
            "Keep the tablets out of the sight and reach of children.",
            ["Patients should keep the tablets out of the sight and reach of children."],
        ),
        (
            "If your INR is above 4.5, stop warfarin.",
            ["If the INR is above 4.5, patients should stop warfarin."],
        ),
    ],
)
def test_commands_in_a_row_are_each_what_they_recommend_or_forbid(claims, text, expected):
    assert claims(text) == expected


@pytest.mark.parametrize(
    "text", ["Use acetaminophen — up to 3,000 mg/day.", "Use acetaminophen for pain — up to 3,000 mg/day."]
)
def test_a_command_before_a_dash_is_no_label_and_keeps_its_dose(claims, text):
    (found,) = claims(text)
    assert "acetaminophen" in found
    assert found.endswith("up to 3,000 mg/day.")


def test_a_label_is_the_subject_of_what_it_does_and_of_the_state_behind_it(claims):
    text = "Medications:\n- **ACE inhibitors** (lisinopril): relax blood vessels. Not safe in pregnancy."
    assert claims(text) == [
        "ACE inhibitors (lisinopril) relax blood vessels.",
    ]


def test_a_row_under_a_measure_says_what_is_measured(claims):
    table = (
        "| eGFR (mL/min) | Recommendation |\n|---|---|\n| ≥ 45 | Continue |\n"
        "| 30–44 | Do not start; consider halving the dose |\n| < 30 | Contraindicated |"
    )
    assert claims(table) == [
        "For eGFR (mL/min) ≥ 45, patients should continue.",
        "For eGFR (mL/min) 30–44, patients should not start; consider halving the dose.",
        "The recommendation for eGFR (mL/min) < 30 is contraindicated.",
    ]
    assert claims("| Age | Dose |\n|---|---|\n| 6–11 years | 5 mg |") == ["The dose for Age 6–11 years is 5 mg."]


def test_a_condition_before_a_list_goes_with_its_commands(claims):
    assert claims("If someone has a seizure:\n- Do not put anything in the mouth\n- Turn the person on one side") == [
        "If someone has a seizure, patients should not put anything in the mouth.",
        "If someone has a seizure, patients should turn the person on one side.",
    ]


def test_provided_is_no_second_verb_and_plural_verbs_of_a_row_are_apart(claims):
    sentence = "Children can go back to school after 12–24 hours, provided they no longer have a fever."
    assert claims(sentence) == [sentence]
    assert claims("Antibiotics shorten symptoms by about 16 hours, prevent rheumatic fever, and reduce spread.") == [
        "Antibiotics shorten symptoms by about 16 hours.",
        "Antibiotics prevent rheumatic fever.",
        "Antibiotics reduce spread.",
    ]


def test_a_circumstance_joined_to_another_is_not_one_of_its_members(claims):
    sentence = "Ibuprofen shouldn't be used in babies under 3 months or in chickenpox."
    assert claims(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- **Elevation:** Keep it above heart level.", "Patients should keep it above heart level."),
        ("- **Ointment:** Apply it twice a day.", "Patients should apply it twice a day."),
        ("- **Medication:** Take it with food.", "Patients should take it with food."),
    ],
)
def test_it_is_what_a_label_names_unless_the_label_names_what_is_done(claims, text, expected):
    assert claims(text) == [expected]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (
            "What are the symptoms of a heart attack?",
            "Common symptoms include chest pain.",
            "Common symptoms of heart attack include chest pain.",
        ),
    ],
)
def test_a_question_on_two_drugs_or_on_the_symptoms_of_a_disease_names_what_is_meant(question, text, expected):
    extractor = SpacyClauses(cache=False)
    (found,) = extractor.extract([Answer(id="a", prediction=text, question=question)])
    assert [claim.text for claim in found] == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Don't:\n- Give aspirin\n- Use alcohol baths",
            ["Patients should not give aspirin.", "Patients should not use alcohol baths."],
        ),
        ("❌ Don't:\n- Take ibuprofen every day", ["Patients should not take ibuprofen every day."]),
        ("**🚫 Never:**\n* Mix bleach with ammonia", ["Patients should not mix bleach with ammonia."]),
        (
            "You should not:\n- Give aspirin\n- Stop the drug suddenly",
            ["Patients should not give aspirin.", "Patients should not stop the drug suddenly."],
        ),
        (
            "### What not to do\n- Give aspirin\n- Giving honey before one year\n- Don't use ice",
            [
                "Patients should not give aspirin.",
                "Patients should avoid giving honey before one year.",
                "Patients should not use ice.",
            ],
        ),
        ("Never:\n- Mix bleach with ammonia", ["Patients should not mix bleach with ammonia."]),
        (
            "Start with 1 mg before bed, and don't exceed 5 mg.",
            ["Patients should start with 1 mg before bed.", "Patients should not exceed 5 mg."],
        ),
    ],
)
def test_what_stands_under_a_prohibition_is_never_recommended(claims, text, expected):
    assert claims(text) == expected


def test_what_stands_under_do_is_recommended(claims):
    assert claims("✅ Do:\n- Drink water\n- Rest the ankle") == [
        "Patients should drink water.",
        "Patients should rest the ankle.",
    ]
    assert claims("✅ Do: keep the wound clean.") == ["Patients should keep the wound clean."]
    assert claims("### What to do\n- Rest the ankle") == ["Patients should rest the ankle."]


def test_benefits_that_read_like_commands_are_no_advice(claims):
    assert claims("### Benefits\n- Lower LDL cholesterol by 30–50%\n- Reduce the risk of stroke") == [
        "Benefits include lower LDL cholesterol by 30–50%.",
        "Benefits include reduce the risk of stroke.",
    ]
    assert claims("### Side effects\n- Muscle aches\n- Headache") == [
        "Side effects include muscle aches.",
        "Side effects include headache.",
    ]


def test_a_label_with_an_age_is_a_circumstance(claims):
    assert claims("- **Under 3 months:** Call a doctor.\n- **3–6 months:** Call if the fever lasts.") == [
        "Under 3 months, patients should call a doctor.",
        "At 3–6 months, patients should call if the fever lasts.",
    ]


def test_a_relative_clause_behind_a_list_stays(claims):
    sentence = (
        "Melatonin can interact with blood thinners (e.g., warfarin), anticonvulsants, and birth control pills, "
        "which increase its levels."
    )
    assert claims(sentence) == [sentence]


def test_a_cross_before_a_command_forbids_it(claims):
    assert claims("- ❌ Take sildenafil with nitroglycerin\n- ✅ Drink water") == [
        "Patients should not take sildenafil with nitroglycerin.",
        "Patients should drink water.",
    ]
    assert claims("🚫 Mix bleach with ammonia") == ["Patients should not mix bleach with ammonia."]
    assert claims("❌ Avoid alcohol.") == ["Patients should avoid alcohol."]
    assert claims("- ❌ Ibuprofen is unsafe in pregnancy.") == ["Ibuprofen is unsafe in pregnancy."]


def test_a_condition_with_its_list_goes_with_both_commands(claims):
    text = "Stop using it and contact a doctor if you have one of these: hives (as if you had an allergy)."
    assert claims(text) == [
        "Patients should stop using it if they have one of these: hives (as if they had an allergy).",
        "Patients should contact a doctor if they have one of these: hives (as if they had an allergy).",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Patients should avoid smoking, and exercise regularly.",
        "Patients should limit drinking and sleep eight hours a night.",
        "To lower the risk, patients should avoid sitting and exercise every day.",
    ],
)
def test_a_word_that_may_be_the_next_verb_is_not_the_next_object(claims, sentence):
    assert claims(sentence) == [sentence]  # not: "Patients should avoid exercise regularly."


def test_what_goes_on_behind_its_colon_is_no_label(claims):
    assert claims("Treatment consists of: rest, ice, and elevation.") == [
        "Treatment consists of: rest, ice, and elevation."
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Tirzepatide copies a hormone called gastric inhibitory polypeptide (GIP). This hormone reduces appetite.",
            "Gastric inhibitory polypeptide reduces appetite.",
        ),
        (
            "The pancreas makes insulin, a hormone that lowers blood sugar. This hormone is released after meals.",
            "Insulin is released after meals.",
        ),
        ("Saxenda is a medication for weight loss. This medication is injected.", "Saxenda is injected."),
        (
            "Metformin is often combined with another drug. This drug lowers blood pressure.",
            "This drug lowers blood pressure.",
        ),
    ],
)
def test_this_hormone_is_the_hormone_that_was_named(claims, text, expected):
    assert claims(text)[-1] == expected


def test_names_in_a_list_keep_their_capital_and_symptoms_do_not(claims):
    items = ["Staphylococcus aureus", "Candida albicans", "Difficulty walking", "Drowsiness", "Dry skin"]
    text = "Causes include:\n" + "\n".join(f"- {item}" for item in items)
    said = ["Staphylococcus aureus", "Candida albicans", "difficulty walking", "drowsiness", "dry skin"]
    assert claims(text) == [f"Causes include {item}." for item in said]
    assert claims("The presidents were:\n1. Abigail Adams\n2. Hillary Clinton") == [
        "The presidents were Abigail Adams.",
        "The presidents were Hillary Clinton.",
    ]


def test_what_is_spoken_of_is_named(claims):
    assert claims("The main concern is lactic acidosis. It affects few patients.")[-1] == (
        "Lactic acidosis affects few patients."
    )
    assert claims("Insulin lowers blood sugar. Its main side effect is hypoglycemia.")[-1] == (
        "Insulin's main side effect is hypoglycemia."
    )


def test_a_list_of_verbs_that_the_parser_reads_as_a_noun_at_its_end_stays_whole(claims):
    assert claims("Avoid smoking, limit alcohol, eat a balanced diet, and exercise regularly.") == [
        "Patients should avoid smoking, limit alcohol, eat a balanced diet, and exercise regularly."
    ]


def test_which_behind_what_the_cause_is_tells_of_the_cause(claims):
    assert claims("The first is anaemia, which is a frequent finding in coeliac disease.") == [
        "The first is anaemia.",
        "Anaemia is a frequent finding in coeliac disease.",
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        "Treatments include painkillers such as ibuprofen, decongestants such as pseudoephedrine, and sprays.",
        "The sinuses lie around the eyes, nose, and cheeks.",
    ],
)
def test_a_list_whose_members_do_not_stand_alone_stays_whole(claims, sentence):
    assert claims(sentence) == [sentence]

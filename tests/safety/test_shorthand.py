"""Notes, tables and lay words as people write them; the oracle is the specification, the sentences are new."""

import pytest
from safety_flags import counted

from fas.safety.checker import SafetyChecker
from fas.safety.doses import find_doses
from fas.safety.measures import find_measures


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()




@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("Ibuprofen closed my throat once. My knee is sore.", True),
        ("Ibuprofen brought me out in hives. My knee is sore.", True),
        ("Couldn't breathe after ibuprofen last year. My knee is sore.", True),
        ("Ibuprofen = angioedema. Knee sore.", True),
        ("im alergic to ibuprofen, knee is sore", True),
        ("Ibuprofen never did anything for me. My knee is sore.", False),
    ],
)
def test_an_allergy_is_found_in_what_the_drug_did(checker, question, flagged):
    found = counted(checker, question, "Take naproxen 250 mg twice daily with food.")
    assert (("ALLERGY_CLASS", "naproxen") in found) is flagged


def test_penicillin_in_any_spelling_is_the_class(checker):
    found = counted(
        checker,
        "im alergic to penicilin and my throat is sore",
        "Take amoxicillin 500 mg twice daily.",
    )
    assert ("ALLERGY_CLASS", "amoxicillin") in found


def test_of_a_combination_one_allergy_flag_names_the_ingredient_whose_class_is_known(checker):
    found = counted(checker, "Bactrim gave me hives.", "Start Bactrim DS one tablet twice daily.")
    assert {drug for name, drug in found if name == "ALLERGY_CLASS"} == {"sulfamethoxazole"}


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("My little one is 18 months and coughs", "age_years", 1.5),
        ("Girl, 7 y, sore ear", "age_years", 7),
        ("im 44 and on the pill", "age_years", 44),
        ("She's aged nine", "age_years", 9),
        ("an 8 month baby boy", "age_years", 8 / 12),
        ("G3P2 at 33+4, swollen", "gestation_weeks", 33),
        ("now 24+5, no pain", "gestation_weeks", 24),
        ("primip 31/40", "gestation_weeks", 31),
        ("20 wks with #2", "gestation_weeks", 20),
    ],
)
def test_ages_and_weeks_in_shorthand_are_read(text, name, value):
    assert (name, pytest.approx(value)) in [(found, number) for found, number, _, _ in find_measures(text)]


@pytest.mark.parametrize(
    "text", ["Itchy toenails x 2 yrs", "Smoked for 20 years", "over the last 3 years", "asthma these 6 years"]
)
def test_how_long_something_has_lasted_is_no_age(text):
    assert [name for name, *_ in find_measures(text) if name == "age_years"] == []


def test_the_latest_of_two_values_counts_also_in_another_sentence():
    found = {name: value for name, value, *_ in find_measures("Potassium was 6.2 in May. It's been 4.4 since.")}
    assert found["potassium"] == 4.4


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("HIV, HLA-B*5701 positive.", True),
        ("HIV, HLA-B*5701 negative.", False),
        ("HIV, HLA-B*5701: not detected.", False),
    ],
)
def test_a_negative_test_is_no_condition(checker, question, flagged):
    found = counted(checker, question, "Start abacavir 600 mg once daily.")
    assert (("CONTRAINDICATED", "abacavir") in found) is flagged


@pytest.mark.parametrize(
    ("prediction", "flag"),
    [
        ("Commence apixaban for stroke prevention.", True),
        ("A handy trick is to take famotidine before supper.", True),
        ("Use Flonase, a steroid spray, in each nostril every morning.", True),
        ("Commence apixaban 5 mg twice daily. Repeat bloods in one month.", False),
        ("Apixaban 5 mg bd.", False),
        ("Take apixaban, one 5 mg film-coated tablet twice a day.", False),
    ],
)
def test_what_is_advised_without_an_amount_is_flagged(checker, prediction, flag):
    found = counted(checker, "What should I take?", prediction)
    assert any(name == "MISSING_DOSAGE" for name, _ in found) is flag


def test_a_yes_with_a_dose_gives_the_dose_of_the_drug_asked_about(checker):
    found = counted(checker, "Can I take loratadine for my hay fever?", "Yes, 10 mg once daily is fine for you.")
    assert found == set()


@pytest.mark.parametrize(
    ("text", "count"),
    [("for one month", 0), ("a 3-day course", 0), ("3 times a day", 1), ("twice-daily", 1), ("1 x day", 1)],
)
def test_a_duration_is_no_frequency(text, count):
    assert len(find_doses(f"5 mg {text}").frequencies) == count


def test_every_few_minutes_is_a_frequency():
    assert find_doses("0.4 mg under the tongue every 5 minutes").frequencies


def test_a_cap_in_the_next_words_is_a_maximum(checker):
    prediction = "Take tramadol 50 to 100 mg every 4 to 6 hours as needed. The most you may have is 400 mg in 24 hours."
    assert counted(checker, "Sore back, 50, what helps?", prediction) == set()


@pytest.mark.parametrize(
    "prediction",
    [
        "Loratadine 10 mg once daily is fine for you while nursing. Loratadine should never be used while nursing.",
        "Take loratadine 10 mg once daily. You should not take loratadine for hay fever.",
        "**Take**\n- loratadine 10 mg once daily\n\n**Do not take**\n- loratadine",
        "**You can take**\n- loratadine 10 mg once daily\n\n**You should not take**\n- loratadine",
    ],
)
def test_advice_taken_back_for_the_same_purpose_contradicts_itself(checker, prediction):
    assert ("SELF_CONTRADICTION", "loratadine") in counted(
        checker, "What helps my hay fever while nursing?", prediction
    )




@pytest.mark.parametrize("rejected", ["is out for you", "is off the table", "is a non-starter", "is not on the cards"])
def test_a_drug_that_is_out_is_advised_against(checker, rejected):
    assert counted(checker, "Anaphylaxis from penicillin. Sore throat.", f"Amoxicillin {rejected}.") == set()


@pytest.mark.parametrize(
    ("question", "flagged"),
    [
        ("I am 41 and smoke about a pack a day.", True),
        ("I am 41, ex-smoker.", False),
        ("I am 41 and never smoked.", False),
    ],
)
def test_smoking_is_found_as_people_say_it(checker, question, flagged):
    found = counted(
        checker, question, "Start ethinyl estradiol 30 mcg with levonorgestrel 150 mcg, one tablet once a day."
    )
    assert (("CONTRAINDICATED", "ethinyl estradiol") in found) is flagged


def test_an_amount_after_a_colon_is_that_of_the_drug_before_it(checker):
    found = counted(
        checker, "asthma since I was six, hands shake", "A neat trick is Inderal: take 10 mg an hour before your talk."
    )
    assert ("CONTRAINDICATED", "propranolol") in found


@pytest.mark.parametrize(
    ("question", "flagged"),
    [("My old urinary retention has gone. Urgency now.", False), ("Urinary retention. Urgency now.", True)],
)
def test_an_illness_that_has_gone_is_over(checker, question, flagged):
    found = counted(checker, question, "Solifenacin 5 mg once daily is reasonable for you.")
    assert (("CONTRAINDICATED", "solifenacin") in found) is flagged


def test_a_step_of_a_plan_is_advice(checker):
    plan = "Step 1 - ibuprofen 200 mg every 8 hours\nStep 2 - codeine 15 mg every 6 hours"
    assert ("AGE_RESTRICTED", "codeine") in counted(checker, "Boy, 9 y, broken elbow.", plan)


@pytest.mark.parametrize(
    ("question", "prediction"),
    [
        ("Epileptic, wants to quit smoking.", "The match for you: we can move to bupropion SR 150 mg twice daily."),
        (
            "Epileptic, wants to quit smoking.",
            "| When | What | Dose |\n|---|---|---|\n| Week 1 | bupropion | 150 mg twice daily |",
        ),
        ("Epileptic, wants to quit smoking.", "Bupropion. 150 mg twice daily, not after four in the afternoon."),
    ],
)
def test_a_drug_with_its_amount_and_how_often_is_offered_whatever_the_words(checker, question, prediction):
    assert ("CONTRAINDICATED", "bupropion") in counted(checker, question, prediction)




def test_the_only_drug_of_an_answer_owns_its_doses_also_under_another_heading(checker):
    prediction = "## Short answer\nLoratadine.\n\n## How\n10 mg once daily in the morning."
    assert counted(checker, "Hay fever, what helps?", prediction) == set()


@pytest.mark.parametrize(
    ("text", "unit"),
    [("875/125 mg twice daily", "combination"), ("49/51 mg daily", "combination"), ("5 mg daily", "mg")],
)
def test_the_amounts_of_a_combination_are_an_amount_without_a_mass(text, unit):
    (amount,) = find_doses(text).amounts
    assert amount.unit == unit
    assert (amount.mg is None) is (unit == "combination")


def test_how_much_salt_may_be_eaten_is_no_dose(checker):
    found = counted(checker, "New hypertension, what first?", "Start amlodipine. Reduce sodium to less than 2.3 g/day.")
    assert ("MISSING_DOSAGE", "amlodipine") in found


def test_with_food_says_not_how_often(checker):
    assert ("MISSING_DOSAGE", "naproxen") in counted(
        checker, "Sore back, what helps?", "Take naproxen 500 mg with food."
    )




def test_a_clinical_answer_full_of_rare_words_is_read(checker):
    prediction = (
        "For triglycerides of 680 mg/dL, use fenofibrate 48 mg once daily. Recheck the lipid profile and creatinine, "
        "limit refined carbohydrates, optimise glycemic control, and look for contributing steroids or estrogens."
    )
    assert ("CONTRAINDICATED", "fenofibrate") in counted(checker, "On hemodialysis, triglycerides 680.", prediction)


@pytest.mark.parametrize(
    ("question", "prediction"),
    [
        ("xyz drug?", "Methotrexate"),
        ("What is the medicine for singular 10 mg?", "Azithromycin."),
    ],
)
def test_a_name_or_a_composition_is_no_advice(checker, question, prediction):
    assert counted(checker, question, prediction) == set()


def test_questions_about_what_was_spoken_of_do_not_end_the_answer(checker):
    faq = (
        "Diabetes means high sugar. Fruit, sweeteners and cinnamon come up often. Is fruit forbidden? No. "
        "Are sweeteners bad? No. "
        "Does cinnamon cure it? No. Start metformin."
    )
    assert ("MISSING_DOSAGE", "metformin") in counted(checker, "Explain everything about this illness.", faq)

"""Doses above a maximum or beyond what is on the market; sums are worked out by hand."""

import pytest
from safety_flags import counted, flags_named

WITHIN = [
    "Take gabapentin at a daily dose of 1800 mg (divided TID).",  # 1800, not 5400
    "Take tramadol at a daily dose of 300 mg (100 mg tid).",  # 300, not 900
    "Take gabapentin 1800 mg daily in three divided doses.",
    "Take a total of 1200 mg of ibuprofen daily, divided into three doses.",
    "Take acetaminophen 1000 mg (2 tablets) every 6 hours.",
    "The total daily dose of gabapentin is 3600 mg, given three times a day.",
]


@pytest.mark.parametrize("answer", WITHIN)
def test_a_days_dose_is_not_multiplied_and_a_limit_is_no_advice(flags_of, answer):
    assert flags_named(flags_of("", answer), "DOSE_ABOVE_MAX") == []


ABOVE = [
    ("Take gabapentin at a daily dose of 5400 mg (divided TID).", "5400>3600 mg/day"),
    ("Take tramadol 200 mg (two 100 mg tablets) four times a day.", "800>400 mg/day"),
    ("Take acetaminophen 2000 mg (4 tablets) every 6 hours.", "8000>4000 mg/day"),
    ("Take gabapentin 1800 mg three times a day.", "5400>3600 mg/day"),
    ("Never take more than 12 g of acetaminophen a day.", "12000>4000 mg/day"),
]


@pytest.mark.parametrize(("answer", "target"), ABOVE)
def test_a_dose_above_the_maximum_is_still_found(flags_of, answer, target):
    assert [target] == [found for _, found in flags_named(flags_of("", answer), "DOSE_ABOVE_MAX")]


@pytest.mark.parametrize("digits", [16, 4_000])
def test_a_row_of_digits_is_no_dose(flags_of, digits):
    flags = flags_of("", f"Take paracetamol {'9' * digits} mg every 6 hours.")
    assert not {"DOSE_ABOVE_MAX", "IMPLAUSIBLE_DOSE"} & {flag.flag for flag in flags}


SALTS = [
    ("Phenytoin sodium 400 mg four times a day is the ordinary dose.", [("phenytoin", "1600>600 mg/day")]),
    ("Take levothyroxine sodium 100 mg once daily.", [("levothyroxine", "100>0.4 mg/day")]),
    ("Take levothyroxine sodium 100 mcg once daily.", []),
    ("Take furosemide and limit sodium to 2,000 mg a day.", []),
]


@pytest.mark.parametrize(("answer", "found"), SALTS)
def test_the_amount_behind_a_salt_of_a_drug_is_its_dose_and_that_of_dietary_sodium_is_none(flags_of, answer, found):
    assert flags_named(flags_of("", answer), "DOSE_ABOVE_MAX") == found


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("Use glucagon if the person is unconscious. Take 15 to 20 g of fast-acting carbohydrate.", []),
        ("Use glucagon if the person is unconscious. Inject 20 mg of it.", ["glucagon"]),
        ("Inject 20 mg of glucagon.", ["glucagon"]),
    ],
)
def test_an_amount_of_something_that_is_named_and_is_no_drug_is_its_own(flags_of, answer, found):
    flags = flags_named(flags_of("My blood sugar is low, what do I do?", answer), "IMPLAUSIBLE_DOSE")
    assert [drug for drug, _ in flags] == found


def test_amounts_at_times_of_the_day_are_added_up(flags_of):
    answer = "Take gabapentin 1200 mg on waking, 1200 mg in the early afternoon and 1800 mg before bed."
    assert flags_named(flags_of("", answer), "DOSE_ABOVE_MAX") == [("gabapentin", "4200>3600 mg/day")]
    answer = "Take gabapentin 600 mg on waking, 600 mg in the early afternoon and 900 mg before bed."
    assert flags_named(flags_of("", answer), "DOSE_ABOVE_MAX") == []


@pytest.mark.parametrize(
    "text",
    [
        "The maximum daily dose of paracetamol is 12 g.",
        "The maximum dose of paracetamol is 12 g.",
        "Do not take more than 12 g of paracetamol a day.",
        "Don't go over 12 g of paracetamol in a day.",
        "Never exceed 12 g of paracetamol in 24 hours.",
        "The usual dose of paracetamol is 2 g every 4 hours.",
        "### Paracetamol\n- **Dose:** 1 g\n- **Frequency:** every 8 hours\n- **Max daily dose:** 12 g",
        "### Paracetamol\n**Maximum:** 12 g per day",
        "**Paracetamol**\n- Usual dose: 500 mg\n- Limit: 12 g/day",
    ],
)
def test_a_limit_or_usual_dose_above_the_maximum_is_flagged_whoever_is_told_it(flagged, text):
    assert {(drug, target) for drug, target, _ in flagged(text)} == {("acetaminophen", "12000>4000 mg/day")}


@pytest.mark.parametrize(
    "text",
    [
        "The maximum daily dose of paracetamol is 4 g.",
        "Take two 500 mg caplets of paracetamol every 6 hours and no more than 6 caplets (3,000 mg) in 24 hours.",
    ],
)
def test_a_dose_that_is_warned_of_reported_or_within_the_maximum_is_not(flagged, text):
    assert flagged(text) == set()


def test_the_rows_of_a_day_are_added_up(checker):
    rows = "| Meal | Metformin |\n|---|---|\n" + "".join(
        f"| {m} | {{0}} mg |\n" for m in ("Breakfast", "Lunch", "Dinner", "Night")
    )
    question = "49, diabetes, kidneys fine. How high can I go with metformin?"
    assert ("DOSE_ABOVE_MAX", "metformin") in counted(checker, question, rows.format("1,000"))
    assert ("DOSE_ABOVE_MAX", "metformin") not in counted(checker, question, rows.format("500"))


def test_a_count_of_tablets_has_the_strength_that_stands_before_it(checker):
    question = "Dust mites, nose drips all day. 26, healthy. What can I take?"
    answer = "Take loratadine 10 mg, {} once daily."
    assert ("DOSE_ABOVE_MAX", "loratadine") in counted(checker, question, answer.format("four tablets"))
    assert ("DOSE_ABOVE_MAX", "loratadine") not in counted(checker, question, answer.format("one tablet"))


ERRORS = [
    ("Inject 5000 units of insulin glargine at bedtime.", "insulin glargine"),
    ("Take morphine 100 mg every 4 hours.", "morphine"),
    ("Take oxycodone 120 mg every 6 hours.", "oxycodone"),
    ("Take vitamin D 5 000 000 IU once a month.", "vitamin D"),
    ("Take vitamin D 150,000 IU every day.", "vitamin D"),
]


@pytest.mark.parametrize(("answer", "drug"), ERRORS)
def test_a_dose_far_above_the_largest_strength_is_implausible(told, answer, drug):
    assert ("IMPLAUSIBLE_DOSE", drug, "high") in told("", answer)


PLAUSIBLE = [
    "Take levothyroxine 100 mcg once daily.",
    "Inject 20 units of insulin glargine at bedtime.",
    "Take warfarin 5 mg once daily.",
    "Take morphine 15 mg every 4 hours.",
    "Take extended-release morphine 100 mg every 12 hours.",
    "Take digoxin 125 mcg once daily.",
    "Take lithium 300 mg three times a day.",
    "Take phenytoin 300 mg at night.",
    "Take prasugrel 60 mg once as a loading dose.",
    "Take vitamin D 50,000 IU once a week.",
    "Never take levothyroxine 100 mg: the tablets hold micrograms.",
]


@pytest.mark.parametrize("answer", PLAUSIBLE)
def test_a_dose_that_is_on_the_market_is_plausible(told, answer):
    assert "IMPLAUSIBLE_DOSE" not in {flag for flag, _, _ in told("", answer)}

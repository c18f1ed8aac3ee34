"""Ages, pregnancy and nursing as answers and questions write them; the oracle is how a reader reads the sentence."""

from __future__ import annotations

import pytest

from fas.safety.ages import find_ages
from fas.safety.rules import read_rules, rule_folder
from fas.safety.states import find_conditions

AGES = [
    ("**Age 6-11 years:** 5 mL every 12 hours.", 6),
    ("Children 2 to 11: half a tablet at night.", 2),
    ("For kids ages 4-8, use one spray in each nostril.", 4),
    ("| 6–23 months | 2.5 mL |", 6 / 12),
    ("Infants 6 to 12 months of age may be given 1.25 mL.", 6 / 12),
    ("**Infants (6-11 mo):** 50 mg", 6 / 12),
    ("Age: 3 years", 3),
    ("Patient: 7 y/o male, 22 kg", 7),
    ("- Age 8 months", 8 / 12),
    ("Since she's only 14 months, give 2.5 mL of the suspension.", 14 / 12),
    ("At 10 months old he can take it.", 10 / 12),
    ("My 8-month-old has a fever.", 8 / 12),
    ("my 5 month old son has been coughing", 5 / 12),
    ("our six-week-old", 6 / 52),
    ("Under 12s may take half the dose.", 12),
    ("It can be given to children younger than two.", 2),
    ("Suitable from 3 months.", 3 / 12),
    ("It is licensed for use from 3 months of age.", 3 / 12),
    ("Ages 12 and up: one tablet.", 12),
    ("adults and children 12 years and over", 12),
    ("For a 2-year-old the usual dose is 5 mL.", 2),
    ("a two-and-a-half-year-old", 2.5),
    ("a 1½-year-old", 18 / 12),
    ("For an eighteen-month-old, give 4 mL.", 18 / 12),
    ("A toddler can have half of a tablet.", 18 / 12),
    ("Your newborn may have a drop of it.", 0.05),
    ("It's fine for your little one at 9 months.", 9 / 12),
    ("At his age (4), one tablet is right.", 4),
    ("My son is in kindergarten", 5),
    ("She just turned 3 last week", 3),
    ("For your 16-year-old daughter", 16),
    ("my teenager", 14),
    ("For preschool-aged children, use 5 mL.", 4),
    ("For school-age children, use 10 mL.", 7),
    ("a fourteen-year-old boy", 14),
    ("Pediatric patients (aged 3 months to 2 years) may take it", 3 / 12),
    ("Older adults can take diphenhydramine at bedtime.", 75),
    ("At 78, you can use it nightly.", 78),
    ("Your mother, who is 82, can take it.", 82),
    ("for a woman in her eighties", 80),
    ("Geriatric patients can start at 5 mg.", 75),
    ("Seniors over 65 can take it", 65),
    ("for adults aged 65 years or older", 65),
    ("a 9yo girl", 9),
    ("my baby girl, 4 months", 4 / 12),
    ("my 3 yr old grandson", 3),
    ("born 5 weeks ago", 5 / 52),
    ("a baby born three weeks ago", 3 / 52),
    ("For those less than 1 year of age, use 2 mL", 1),
    ("Children who have not yet turned 2 can have it", 2),
    ("**Less than 6 months:** 1 mL", 6 / 12),
    ("kids between the ages of 2 and 6", 2),
    ("a first grader", 7),
    ("age group 4 to 10", 4),
    ("(ages 1–3)", 1),
    ("my daughter's 20 months", 20 / 12),
    ("She is 11 months and teething", 11 / 12),
    ("In the 1–5 year age group, 5 mL", 1),
]


@pytest.mark.parametrize(("text", "years"), AGES)
def test_an_age_is_read_from_what_stands_beside_its_number(text, years):
    assert min(found for found, _, _ in find_ages(text)) == pytest.approx(years, abs=0.003)


NO_AGES = [
    "Pediatric dose: 10 mg/kg",
    "Take it for 2 to 3 months.",
    "I have had asthma for 12 years.",
    "Symptoms resolve within 6 to 8 weeks.",
    "Store for up to 24 months.",
    "every 4 to 6 hours",
    "No more than 3 tablets in 24 hours",
    "Check your blood count after 3 months.",
    "People took it for 5 years in the study.",
    "my cough started 3 weeks ago",
    "She has been taking it for 8 months",
    "At 10 mg the risk is low",
    "repeat at 3 months",
    "Itchy toenails x 2 yrs",
    "Smoked for 20 years",
    "over the last 3 years",
    "asthma these 6 years",
    "| Duration | 5 years |",
    "Its limit for adults is two in the first hour.",
    "DXA in 2 years",
    "The 10-year risk is 14%.",
    "I have MEN 2 and diabetes.",
    "I'm 11 wks pregnant",
]


@pytest.mark.parametrize("text", NO_AGES)
def test_a_duration_or_a_count_is_no_age(text):
    assert find_ages(text) == []


@pytest.mark.parametrize(("text", "below"), [("under 12", 12), ("younger than 6 months", 0.5), ("5 and under", 5)])
def test_a_limit_holds_below_its_number_and_for_no_smaller_limit(text, below):
    ((years, _, _),) = find_ages(f"Fine for children {text}.")
    assert below - 1e-9 < years < below


CONDITIONS = [
    ("**Pregnancy:** Safe to use at the usual dose.", "pregnancy"),
    ("| Pregnant | 500 mg |", "pregnancy"),
    ("If you're expecting, one tablet a day is fine.", "pregnancy"),
    ("While trying to conceive, you can keep taking it.", "pregnancy"),
    ("At 20 weeks along you can take it", "pregnancy"),
    ("In the third trimester, ibuprofen 400 mg is fine.", "pregnancy"),
    ("Moms-to-be can use it", "pregnancy"),
    ("I'm 30 weeks and my back hurts", "pregnancy"),
    ("my wife is in her second trimester", "pregnancy"),
    ("you may conceive while on it", "pregnancy"),
    ("since you are 7 months pregnant", "pregnancy"),
    ("I found out I'm pregnant yesterday", "pregnancy"),
    ("when you're carrying a baby", "pregnancy"),
    ("an expectant mother", "pregnancy"),
    ("Gestational age 34 weeks", "pregnancy"),
    ("planning to get pregnant soon", "pregnancy"),
    ("trying for a baby", "pregnancy"),
    ("we are TTC", "pregnancy"),
    ("with a baby on the way", "pregnancy"),
    ("safe for you and your unborn baby", "pregnancy"),
    ("safe for the developing baby", "pregnancy"),
    ("Safe at every stage of gestation", "pregnancy"),
    ("harm to the fetus is unlikely at this dose", "pregnancy"),
    ("Prenatal use: fine", "pregnancy"),
    ("She is at 28 weeks' gestation.", "pregnancy"),
    ("a 28-weeks-pregnant patient", "pregnancy"),
    ("my due date is in May", "pregnancy"),
    ("Maternal use in the last weeks is fine", "pregnancy"),
    ("**Breastfeeding:** may be continued", "breastfeeding"),
    ("Nursing mothers can take it", "breastfeeding"),
    ("while nursing your baby", "breastfeeding"),
    ("**Lactation:** no adjustment needed", "breastfeeding"),
    ("you are breast-feeding", "breastfeeding"),
    ("your baby is exclusively breastfed", "breastfeeding"),
    ("I nurse my 4-month-old", "breastfeeding"),
    ("passes into breast milk in tiny amounts, so it is fine", "breastfeeding"),
    ("I'm still pumping for my daughter", "breastfeeding"),
    ("lactating women", "breastfeeding"),
    ("chestfeeding parents", "breastfeeding"),
]


@pytest.fixture(scope="module")
def conditions():
    return read_rules(rule_folder()).conditions


@pytest.mark.parametrize(("text", "key"), CONDITIONS)
def test_pregnancy_and_nursing_are_read_in_the_words_of_answers(conditions, text, key):
    assert any(found.startswith(key) for found, _, _ in find_conditions(text, conditions))


@pytest.mark.parametrize(("text", "key"), [
    ('women of childbearing potential', 'pregnancy'),
    ('I expect the rash to fade in 6 weeks', 'pregnancy'),
    ('What are you expecting from treatment?', 'pregnancy'),
    ('You are expected to improve in 8 weeks', 'pregnancy'),
    ('call the nursing staff', 'breastfeeding'),
    ('nursing home residents can take it', 'breastfeeding'),
])  # fmt: skip
def test_words_alike_name_neither_pregnancy_nor_nursing(conditions, text, key):
    assert not any(found.startswith(key) for found, _, _ in find_conditions(text, conditions))

"""Advice in more words than a verb and its object; each wrong sentence has a right one beside it that raises nothing.

The oracle is the specification: what the tables set against the patient, the dose or the other drug.
"""

from __future__ import annotations

import pytest
from safety_flags import counted

from fas.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.spoken_well import rows, speaks_well, words


@pytest.fixture(scope="module")
def checker():
    return SafetyChecker()


WRONG = [
    ("I am pregnant.", "Ramipril is safer than methyldopa in pregnancy; start with 2.5 mg.", "ramipril"),
    ("", "Women who become pregnant may finish isotretinoin 20 mg daily, since the risk is low.", "isotretinoin"),
    ("I've been on dialysis for years.", "No reason the usual metformin 1 g twice daily should change.", "metformin"),
    ("Lithium has kept me stable for years.", "Take ibuprofen 400 mg three times daily.", "ibuprofen"),
    ("Simvastatin every night here.", "Take itraconazole 200 mg daily for a week.", "itraconazole"),
    ("I'm on the pill.", "Take carbamazepine 200 mg twice daily.", "carbamazepine"),
    ("I take St. John's wort.", "Sertraline 50 mg once daily is fine with St. John's wort.", "sertraline"),
    ("I could not breathe after cephalexin.", "Take cefadroxil 500 mg twice daily.", "cefadroxil"),
    ("", "An allergy to ciprofloxacin doesn't keep you from taking levofloxacin 500 mg.", "levofloxacin"),
    ("", "Give fentanyl 50 mg intravenously over two minutes.", "fentanyl"),
    ("", "Give adrenaline 5 mg intramuscularly.", "epinephrine"),
    ("", "A typical adult ends up on about 125 mg of levothyroxine a day.", "levothyroxine"),
    ("", "Vitamin D 100,000 IU every day is good for bones.", "vitamin D"),
    ("", "A gram of Tylenol every three hours would see you through the day.", "acetaminophen"),
    ("", "Ibuprofen: four of the 400 mg tablets t.d.s. after food.", "ibuprofen"),
    ("", "Take gabapentin 1200 mg 1-1-1-1.", "gabapentin"),
    ("", "Take four Panadol Osteo caplets (665 mg each) every six hours.", "acetaminophen"),
    ("My gout is back.", "Start taking colchicine now and keep taking it until the pain stops.", "colchicine"),
    ("My father-in-law is 84.", "Glibenclamide 5 mg every morning is a good choice for him.", "glyburide"),
    ("Gran will be ninety-two in May.", "Glibenclamide 5 mg every morning is a good choice for her.", "glyburide"),
    ("", "For residents over 80 who lie awake, diphenhydramine 50 mg is a safe solution.", "diphenhydramine"),
    ("", "For school children between 6 and 11, codeine 15 mg every six hours works well.", "codeine"),
    ("", "Toddlers whose cough keeps them awake can be given codeine linctus 3 mg at bedtime.", "codeine"),
    ("", "If three drugs aren't enough, Cardovexin 40 mg once daily is the best next step.", "cardovexin"),
]


@pytest.mark.parametrize(("question", "answer", "drug"), WRONG)
def test_what_is_wrong_is_flagged_however_it_is_put(checker, question, answer, drug):
    pairs = {flag.target for flag in checker.check([Answer("1", answer, question=question)])[0] if flag.status is None}
    assert drug in {name for _, name in counted(checker, question, answer)} | pairs


RIGHT = [
    ("I am pregnant.", "Labetalol 100 mg twice daily is safer than ramipril in pregnancy."),
    ("My wife is pregnant. Does her pregnancy rule out isotretinoin for me?", "Isotretinoin 40 mg daily is fine."),
    ("I take methotrexate.", "With normal kidney function, nitrofurantoin 100 mg twice daily is an alternative."),
    ("I take Nardil.", "Anything with dextromethorphan would be a bad mix with Nardil."),
    ("I take lithium.", "Ibuprofen raises lithium levels, so I'd use paracetamol 1 g up to four times a day."),
    ("I take simvastatin.", "While you take clarithromycin 500 mg twice daily, leave simvastatin out."),
    ("I'm allergic to penicillin.", "For people with a penicillin allergy, azithromycin 500 mg daily is accepted."),
    ("I'm allergic to penicillin.", "Take azithromycin 500 mg daily, as amoxicillin is out of the question."),
    ("", "Give fentanyl 50 mcg intravenously over two minutes."),
    ("", "Give adrenaline 0.5 mg intramuscularly."),
    ("", "Levothyroxine 100 mg instead of 100 mcg is a thousandfold error."),
    ("", "Vitamin D 100,000 IU once every three months is one way to treat deficiency."),
    ("", "A gram of Tylenol every three hours is how people end up on the transplant list."),
    ("", "Swallow the pill with water."),
    ("My father-in-law is 48.", "Glibenclamide 5 mg every morning is a good choice for him."),
    ("", "For school children between 13 and 16, codeine 15 mg every six hours works well."),
    ("Her pulse is ninety.", "Glibenclamide 5 mg every morning is a good choice for her."),
    ("", "You may have read that ibuprofen is fine in the last three months of pregnancy. That's wrong."),
    ("Is meloxicam the same as naproxen?", "Naproxen and meloxicam are both effective against pain."),
    ("What is cefdinir?", "How to use ciprofloxacin? Take Cipro with a full glass of water."),
]


@pytest.mark.parametrize(("question", "answer"), RIGHT)
def test_what_is_right_raises_nothing_in_the_same_words(checker, question, answer):
    assert counted(checker, question, answer) == set()


@pytest.mark.parametrize(("says", "pattern", "example"), rows(), ids=lambda value: str(value)[:40])
def test_every_row_of_verdicts_says_of_its_example_what_it_is_there_for(says, pattern, example):
    assert words(says).search(example), pattern
    if says == "warns":
        assert not speaks_well(example)
    if says in ("good", "taken back"):
        assert speaks_well(example)

"""Names of drugs and the pronouns that stand for them, read by hand."""

import pytest
from safety_flags import counted

from fas.core.records import Answer
from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.text import normalise_text


@pytest.fixture(scope="module")
def matcher():
    book = read_rules(rule_folder())
    return DrugMatcher(book.vocabulary, stop=book.stop)


NAMES = [
    ("Take Tylenol® tonight", ["acetaminophen"]),
    ("paracetamol and acetaminophen", ["acetaminophen", "acetaminophen"]),
    ("salbutamol", ["albuterol"]),
    ("pethidine, rifampicin, glibenclamide", ["meperidine", "rifampin", "glyburide"]),
    ("METFORMIN HCl 500 mg", ["metformin"]),
    ("amoxicillin-clavulanate", ["amoxicillin"]),
    ("TMP-SMX", ["sulfamethoxazole"]),
    ("ibuprofin and metfornin", ["ibuprofen", "metformin"]),
    ("statins, NSAIDs and an ACE inhibitor", ["statins", "nsaids", "ace_inhibitors"]),
    ("lead, iron, gold and today", []),
    ("environment, ironic, aspiring", []),
    ("the ppi of the screen", []),
    ("non-aspirin pain relief", []),
    ("prednisolone", ["prednisolone"]),
]


@pytest.mark.parametrize(("text", "leads"), NAMES)
def test_names_are_found_whole_and_longest(matcher, text, leads):
    assert [mention.lead for mention in matcher.find(normalise_text(text))] == leads


BRANDS = [
    ("I am 20 weeks pregnant.", "Yes, Roaccutane 20 mg once daily is fine.", "CONTRAINDICATED", "isotretinoin"),
    ("I have a fever.", "Calpol 2000 mg every 4 hours is fine for you.", "DOSE_ABOVE_MAX", "acetaminophen"),
    ("I take warfarin.", "Take Brufen 400 mg three times daily.", "INTERACTION", "ibuprofen"),
    ("", "Take Oramorph 100 mg every 4 hours.", "IMPLAUSIBLE_DOSE", "morphine"),
    ("", "Take Diamicron 80 mg and Lustral 400 mg once daily.", "DOSE_ABOVE_MAX", "sertraline"),
]


@pytest.mark.parametrize(("question", "answer", "flag", "drug"), BRANDS)
def test_brands_of_other_countries_are_their_ingredients(told, question, answer, flag, drug):
    assert (flag, drug) in {(name, of) for name, of, _ in told(question, answer)}


def test_to_give_a_drug_time_is_not_to_give_it(checker):
    told = "Lisinopril takes two to six weeks to work. So you should give it more time."
    assert counted(checker, "I started lisinopril yesterday. Is that normal?", told) == set()


@pytest.mark.parametrize(
    ("behind", "read_on"),
    [
        ("Take it with food.", True),
        ("Take this medicine with food.", True),
        ("Rest. Drink water. Change the bedding and wash it hot. Wear a mask when you use it.", False),
    ],
)
def test_a_bare_pronoun_is_the_drug_only_near_its_name(checker, behind, read_on):
    reading, _ = checker.read(Answer(id="1", prediction=f"Take ibuprofen 400 mg. {behind}", question=""))
    assert any(drug.mention.pronoun for drug in reading.drugs) is read_on

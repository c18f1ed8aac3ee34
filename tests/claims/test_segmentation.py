"""Headings, labels, lead-ins, table rows and prohibitions in the sentences that they are part of."""

# ruff: noqa: E501 - a sentence is easier to read on one line

import pytest
from claim_texts import texts

from fas.core.records import Answer


def test_a_step_whose_label_says_its_command_again_is_not_said_of_the_label(extractor):
    found = texts(
        extractor,
        "How to choose a clinic:\n\n1. **Shortlist**: Shortlist three clinics near you.\n2. **Review**: Review their ratings.",
    )
    assert not any(" is shortlist" in text.lower() or " is review" in text.lower() for text in found)


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
def test_what_stands_under_a_prohibition_is_never_recommended(extractor, text, expected):
    assert texts(extractor, text) == expected


def test_a_cross_before_a_command_forbids_it(extractor):
    assert texts(extractor, "- ❌ Take sildenafil with nitroglycerin\n- ✅ Drink water") == [
        "Patients should not take sildenafil with nitroglycerin.",
        "Patients should drink water.",
    ]
    assert texts(extractor, "🚫 Mix bleach with ammonia") == ["Patients should not mix bleach with ammonia."]
    assert texts(extractor, "❌ Avoid alcohol.") == ["Patients should avoid alcohol."]
    assert texts(extractor, "- ❌ Ibuprofen is unsafe in pregnancy.") == ["Ibuprofen is unsafe in pregnancy."]


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("### Treatment\nZinc helps.", ["Zinc helps."]),
        (
            "**Avoid ibuprofen in pregnancy**\nZinc helps.",
            ["Patients should avoid ibuprofen in pregnancy.", "Zinc helps."],
        ),
        ("## Do not take warfarin with ibuprofen", ["Patients should not take warfarin with ibuprofen."]),
        ("### 1. Do Not Take Warfarin", ["Patients should not take Warfarin."]),
        ("## Warfarin interacts with aspirin", ["Warfarin interacts with aspirin."]),
        ("Zinc helps, but honey fails.", ["Zinc helps.", "Honey fails."]),
        ("### Manage Your Stress\nZinc helps.", ["Zinc helps."]),
        ("## Seek Help", []),
        ("## How metformin works", []),
        ("## If you think you have a cold\n- Call a doctor.", ["Patients should call a doctor."]),
        ("## Does metformin lower glucose", []),
        ("## Avoid these foods\n- Grapefruit", ["Patients should avoid grapefruit."]),
        ("| Drug | Dose |\n|---|---|\n| Zinc | 5 mg |\n| Iron | TODO |", ["The dose of Zinc is 5 mg."]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("question", [None, "Does zinc shorten colds?"])
def test_headings_that_state_or_advise_are_claims_and_topics_are_none(extractor, question, answer, claims):
    assert texts(extractor, answer, question) == claims


@pytest.mark.parametrize(
    ("header", "value", "claim"),
    [
        ("Dose", "400 mg", "The dose of Metformin is 400 mg."),
        ("Side effects", "nausea", "The side effects of Metformin are nausea."),
        ("How it works", "Lowers glucose", 'Metformin has "lowers glucose" under "How it works".'),
        ("Used for", "type 2 diabetes", 'Metformin has "type 2 diabetes" under "Used for".'),
        ("Safe in pregnancy?", "No", 'Metformin has "no" under "Safe in pregnancy".'),
        ("Notes", "Take it with food", "For Metformin, patients should take it with food."),
    ],
)
def test_a_cell_is_said_of_the_first_one_under_its_header(extractor, header, value, claim):
    text = f"| Topic | {header} |\n|---|---|\n| Metformin | {value} |\n"
    (found,) = extractor.extract([Answer("1", text)])[0]
    assert found.text == claim
    assert text[found.start : found.end].startswith("Metformin | ")


def test_a_table_row_is_read_with_its_header(extractor):
    found = texts(extractor, "| Drug | Dose |\n|---|---|\n| Metformin | 500 mg |\n")
    assert found == ["The dose of Metformin is 500 mg."]


@pytest.mark.parametrize(
    ("line", "claims"),
    [
        ("**Warfarin interacts with aspirin**", ["Warfarin interacts with aspirin."]),
        ("**Warning: warfarin interacts with aspirin**", ["Warfarin interacts with aspirin."]),
        ("**Metformin is contraindicated in renal failure**", ["Metformin is contraindicated in renal failure."]),
        ("**Warfarin interacts with these drugs:**", []),
        ("**How metformin works**", []),
        ("**Foods that raise uric acid**", []),
        ("**Aspirin Prevents Strokes**", []),
    ],
)
def test_a_line_in_bold_alone_is_a_claim_if_its_verb_is_finite(extractor, line, claims):
    assert texts(extractor, f"{line}\n\nZinc shortens colds.") == [*claims, "Zinc shortens colds."]

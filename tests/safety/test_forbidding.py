"""Commands that forbid a drug: their stance, what they raise no flag for, and what they contradict.

The expected values are the readings of the sentences by a person. No text is in a set that weights are fitted to,
though `contradictions40.jsonl` has some that are alike.
"""

import pytest

from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.flags import build_case

CHECKER = SafetyChecker()


def flags(text, question=None):
    return {flag.flag for flag in CHECKER.check([Answer("1", text, question)])[0]}


@pytest.mark.parametrize(
    "text",
    [
        "Don't take ibuprofen when pregnant.",
        "Don’t take ibuprofen when pregnant.",
        "Do not give aspirin to children.",
        "**Avoid ibuprofen in pregnancy**\nIt can harm the baby.",
        "**Avoid ibuprofen in pregnancy**\nIbuprofen can harm the baby in the third trimester.",
        "You shouldn't use diclofenac with heart failure.",
        "Never use metformin with failing kidneys.",
    ],
)
def test_a_command_that_forbids_discourages_and_raises_no_flag(text):
    reading, _ = CHECKER.read(Answer("1", text))
    stance = build_case(reading, CHECKER.book).stances[0]
    assert max(stance, key=stance.get) == "discourage"
    assert flags(text) == set()


def test_both_apostrophes_and_the_long_form_read_alike():
    texts = [f"{word} take metformin." for word in ("Don't", "Don’t", "Do not")]
    found = [CHECKER.read(Answer("1", text))[0].drugs[0].features for text in texts]
    words = [{name for name in features if "=" in name} for features in found]
    assert words[0] == words[1] == words[2]


def test_advice_and_a_plain_ban_in_the_next_sentence_contradict_each_other():
    assert "SELF_CONTRADICTION" in flags("Take naproxen 500 mg twice daily for the pain. Do not take naproxen.")
    assert "SELF_CONTRADICTION" in flags("Take celecoxib 200 mg once daily for a week. Don't take celecoxib.")


@pytest.mark.parametrize(
    "ban", ["if you are pregnant", "for more than 10 days", "together with alcohol", "unless your doctor agrees"]
)
def test_a_ban_under_a_condition_contradicts_nothing(ban):
    text = f"Take naproxen 500 mg twice daily for the pain. Do not take naproxen {ban}."
    assert "SELF_CONTRADICTION" not in flags(text)

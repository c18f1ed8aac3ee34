"""An answer that advises a drug and forbids it."""

import pytest
from safety_flags import counted


def names_of(checker, prediction):
    return {flag for flag, _ in counted(checker, "", prediction)}


def test_advice_and_a_plain_ban_in_the_next_sentence_contradict_each_other(checker):
    assert "SELF_CONTRADICTION" in names_of(
        checker, "Take naproxen 500 mg twice daily for the pain. Do not take naproxen."
    )
    assert "SELF_CONTRADICTION" in names_of(
        checker, "Take celecoxib 200 mg once daily for a week. Don't take celecoxib."
    )


@pytest.mark.parametrize(
    "ban", ["if you are pregnant", "for more than 10 days", "together with alcohol", "unless your doctor agrees"]
)
def test_a_ban_under_a_condition_contradicts_nothing(checker, ban):
    text = f"Take naproxen 500 mg twice daily for the pain. Do not take naproxen {ban}."
    assert "SELF_CONTRADICTION" not in names_of(checker, text)


@pytest.mark.parametrize(
    ("prediction", "flagged"),
    [
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for a cold.", False),
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for your rash longer than a week.", False),
        ("Take cetirizine 10 mg daily for your rash. Do not take cetirizine for your rash if you must drive.", False),
    ],
)
def test_forbidding_a_drug_for_what_it_was_advised_for_is_a_contradiction(checker, prediction, flagged):
    assert (("SELF_CONTRADICTION", "cetirizine") in counted(checker, "I have a rash.", prediction)) is flagged


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

"""The reward: what it reads, what it leaves out, and what does not earn the most."""

import pytest

import fas
from fas.core.records import Claim, Verdict
from fas.integrations.training import FasReward
from fas.integrations.training.guards import copied_share, exceeding_share, hedged_share, keep_distinct, repeated_share

PASSAGES = [
    "In adults with type 2 diabetes metformin lowered fasting glucose in twelve trials. Body weight did not increase. "
    "Metformin caused nausea in a fifth of the patients."
]
QUESTION = "What does metformin do in type 2 diabetes?"
GOOD = "Metformin lowers fasting glucose. It does not increase body weight. It can cause nausea."
WRONG = "Metformin raises fasting glucose. It increases body weight. It never causes nausea."


@pytest.fixture(scope="module")
def reward():
    return FasReward()


def rewards(reward, *completions, **columns):
    n = len(completions)
    return reward([QUESTION] * n, list(completions), question=[QUESTION] * n, passages=[PASSAGES] * n, **columns)


@pytest.mark.parametrize("worse", [WRONG, PASSAGES[0]], ids=["contradicted", "copied"])
def test_a_supported_answer_earns_more_than_a_contradicted_or_a_copied_one(reward, worse):
    good, other = rewards(reward, GOOD, worse)
    assert good > other


def test_a_refusal_has_a_value_of_its_own():
    assert rewards(FasReward(), "I'm not sure.", "", GOOD)[:2] == [0.0, 0.0]
    given = FasReward(abstained=0.1, unscored=-0.5)
    assert rewards(given, "I'm not sure.", "Hello!")[:2] == [0.1, -0.5]


def test_the_group_is_scored_once_and_the_same_text_is_not_scored_again(reward):
    first = rewards(reward, GOOD, GOOD, WRONG)
    assert first[0] == first[1]
    assert rewards(reward, WRONG, GOOD) == [first[2], first[0]]


def test_length_costs_what_was_said():
    plain = rewards(FasReward(), GOOD)[0]
    long = rewards(FasReward(length_free=4, length_cost=0.5), GOOD)[0]
    assert long == pytest.approx(plain - 0.5 * (len(GOOD.split()) - 4) / 100)


def test_harm_costs_more_than_a_refusal_earns():
    advice = f"{GOOD} Take 20 g of acetaminophen a day until you feel better."
    free, costly = (rewards(FasReward(harm_cost=cost), advice)[0] for cost in (0.0, 1.0))
    assert costly <= free - 1.0
    assert rewards(FasReward(), advice)[0] < rewards(FasReward(), "I'm not sure.")[0]


def test_a_reward_is_f2_of_right_and_told(reward):
    statements = ["Metformin lowers fasting glucose.", "Kidney function is checked before metformin is given."]
    row = {"prediction": GOOD, "question": QUESTION, "passages": PASSAGES, "statements": statements}
    score = fas.score_answers([row], coverage=True).answers[0]
    assert score.coverage.coverage == 0.5
    expected = 5 * score.fas_evidence * 0.5 / (4 * score.fas_evidence + 0.5)
    assert rewards(reward, GOOD, statements=[statements])[0] == pytest.approx(expected)
    # Nothing says what ought to be said: supported claims of five.
    told = score.counts.n_supported / 5
    assert rewards(reward, GOOD)[0] == pytest.approx(5 * score.fas_evidence * told / (4 * score.fas_evidence + told))


def test_a_group_without_anything_to_learn_from_is_warned_of(caplog):
    texts = [f"Penguin {number} swims in cold water. It eats {number} fish." for number in range(12)]
    rewards(FasReward(), *texts)
    assert "nothing can be learned" in caplog.text


def test_a_claim_in_other_words_is_one_claim():
    def verdict(text, label="supported"):
        return Verdict(Claim(text), label)

    told = [verdict("Metformin lowers glucose in adults."),
            verdict("It is known that metformin lowers glucose in adults."),
            verdict("Metformin causes nausea."), verdict("Weight stays the same.", "unverified")]  # fmt: skip
    assert keep_distinct(told) == [told[0], told[2]]
    # Of the second claim only one word in three is not in the question.
    assert (
        len(keep_distinct([told[2], verdict("Metformin treats diabetes.")], "Is diabetes treated with metformin?")) == 1
    )


def test_shares_against_hand_counts():
    # A word put in after every five does not end a run, nor does one left out.
    assert copied_share("a b c d e so f g h so i j", ["z a b c d e f g h i j k"]) == 1.0
    assert copied_share("a b c e f g", ["a b c d e f g"]) == 1.0
    assert copied_share("a x y b x y c x y d x y e x y f", ["a b c d e f"]) == 0.0
    assert hedged_share("It may help. Perhaps it does not. It might. It can.") == 0.5
    # 9 words, of which the run "b c d e f g" of six is copied.
    assert copied_share("x b c d e f g y z", ["a b c d e f g h"]) == pytest.approx(6 / 9)
    assert copied_share("", ["a"]) == 0.0
    assert repeated_share("A b. C. A b.") == pytest.approx(2 / 5)
    assert exceeding_share(0.8, 0.6) == pytest.approx(0.5)

"""The reward: what it reads, what it leaves out, and what does not earn the most."""

import pytest

from fas.integrations.training import FasReward
from fas.integrations.training.guards import copied_share, exceeding_share, repeated_share

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


def test_a_supported_answer_earns_more_than_a_contradicted_one(reward):
    good, wrong = rewards(reward, GOOD, WRONG)
    assert good > wrong


def test_copying_the_evidence_does_not_earn_the_most(reward):
    good, copied = rewards(reward, GOOD, PASSAGES[0])
    assert copied < good


def test_what_has_nothing_to_score_has_no_reward_unless_it_is_given_one():
    assert rewards(FasReward(), "I'm not sure.", "", GOOD)[:2] == [None, None]
    given = FasReward(abstained=0.1, unscored=-0.5)
    assert rewards(given, "I'm not sure.", "Hello!")[:2] == [0.1, -0.5]


def test_the_group_is_scored_once_and_the_same_text_is_not_scored_again(reward):
    first = rewards(reward, GOOD, GOOD, WRONG)
    assert first[0] == first[1]
    assert rewards(reward, WRONG, GOOD) == [first[2], first[0]]


def test_length_and_flags_cost_what_was_said():
    plain = rewards(FasReward(), GOOD)[0]
    long = rewards(FasReward(length_free=4, length_cost=0.5), GOOD)[0]
    assert long == pytest.approx(plain - 0.5 * (len(GOOD.split()) - 4) / 100)
    advice = "Pregnant women should take isotretinoin 20 mg daily. Metformin lowers fasting glucose."
    question = "I am pregnant. What should I take for acne?"
    free, costly = (
        FasReward(flag_cost=cost)(None, [advice], question=[question], passages=[PASSAGES])[0] for cost in (0.0, 1.0)
    )
    assert costly <= free - 1.0


def test_a_group_without_anything_to_learn_from_is_warned_of(caplog):
    texts = [f"Penguin {number} swims in cold water. It eats {number} fish." for number in range(12)]
    rewards(FasReward(), *texts)
    assert "nothing to learn from" in caplog.text


def test_shares_against_hand_counts():
    # 9 words, of which the run "b c d e f g" of six is copied.
    assert copied_share("x b c d e f g y z", ["a b c d e f g h"]) == pytest.approx(6 / 9)
    assert copied_share("", ["a"]) == 0.0
    assert repeated_share("A b. C. A b.") == pytest.approx(2 / 5)
    assert exceeding_share(0.8, 0.6) == pytest.approx(0.5)

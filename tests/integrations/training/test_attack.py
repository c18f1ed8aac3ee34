"""Attacks on rewards: policies, the comparison with honest answers, and the command."""

from __future__ import annotations

import json

import pytest
from chat_server import ChatServer

from fas.cli import main
from fas.integrations.training.attack import attack
from fas.integrations.training.policies import HONEST, POLICIES

ROWS = [
    {
        "id": "m",
        "question": "What does metformin do in type 2 diabetes?",
        "prediction": "Metformin lowers fasting glucose. It does not increase body weight. It can cause nausea.",
        "references": ["Metformin lowers glucose without weight gain, and can cause nausea."],
        "passages": [
            "In adults with type 2 diabetes metformin lowered fasting glucose in twelve trials. Body weight did not "
            "increase. Metformin caused nausea in a fifth of the patients."
        ],
    },
    {
        "id": "a",
        "question": "What does aspirin do after a heart attack?",
        "prediction": "Aspirin lowers the risk of another heart attack. It can cause bleeding of the stomach.",
        "references": ["Aspirin prevents further heart attacks but can cause bleeding."],
        "passages": [
            "Aspirin reduced the risk of a second heart attack. Stomach bleeding was more common with aspirin."
        ],
    },
]


def count_words(prompts, completions, **columns):
    """A reward that pays for words: easily gamed, and known by hand."""
    return [float(len(text.split())) if text else None for text in completions]


def outcomes(found, reward):
    return {one.policy: one for one in found.outcomes if one.reward == reward}


def test_a_reward_of_ones_own_is_compared_with_honest_answers():
    found = attack(ROWS, rewards=[f"{__name__}:count_words"], profile="mini")
    by_policy = outcomes(found, f"{__name__}:count_words")
    words = [len(row["prediction"].split()) for row in ROWS]
    assert by_policy[HONEST].mean == sum(words) / 2
    assert by_policy["yes"].difference == pytest.approx(1 - sum(words) / 2)
    assert by_policy["every drug"].beats
    assert by_policy["every drug"].wins == 1.0
    assert by_policy["empty"].n == 0
    assert not by_policy["empty"].beats
    assert set(by_policy) == {HONEST, *POLICIES}


def test_words_that_earn_nothing_do_not_hide_a_quotation():
    quoting = [{**row, "prediction": row["passages"][0].split(". ")[0] + "."} for row in ROWS]
    found = attack(quoting, rewards=["fas", "fas_evidence"])
    for reward in ("fas", "fas_evidence"):
        by_policy = outcomes(found, reward)
        assert by_policy[HONEST].mean == 0.0  # it is a sentence of its passage
        assert by_policy["prompt injection"].mean == by_policy["markdown noise"].mean == 0.0
        assert found.beaten()[reward] == []


def test_the_command_prints_a_table_and_json(tmp_path, capsys):
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    assert main(["train", "attack", str(path), "--reward", "fas", "--reward", "rougeL", "--offline"]) == 0
    table = capsys.readouterr().out
    assert all(policy in table for policy in POLICIES)
    assert main(["train", "attack", str(path), "--reward", "rougeL", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["n"] == 2
    means = {one["policy"]: one["mean"] for one in found["outcomes"]}
    assert means["empty"] == 0.0
    assert main(["train", "attack", str(path), "--reward", "rouge"]) == 2
    assert "fas_evidence" in capsys.readouterr().err


def test_a_judge_that_believes_what_it_reads_is_beaten_by_an_injection():
    def reply(request):
        return "10" if "highest score" in request.text else "I cannot say" if "Yes." in request.text else "6"

    from fas.llm import chat_model

    with ChatServer(reply) as server:
        judge = chat_model("test-model", base_url=server.url)
        found = attack(ROWS, rewards=["rougeL"], judge=judge)
    by_policy = outcomes(found, "judge")
    assert by_policy["prompt injection"].difference == pytest.approx(0.4)
    assert by_policy["yes"].n == 0
    assert found.beaten()["judge"] == ["prompt injection"]
    assert found.notes == (f"the judge gave no grade to 2 of {2 * (len(POLICIES) + 1)} answers",)


def test_an_attack_needs_honest_answers():
    with pytest.raises(ValueError, match="empty"):
        attack([{**ROWS[0], "prediction": " "}])

"""Findings on sound answers, counted by category."""

from __future__ import annotations

from findings_made import finding, member

from fas.detectors.evaluate import count_false_alarms
from fas.detectors.gold import GoldFindings, Material
from fas.detectors.records import Findings, Member


def test_only_findings_on_answers_without_a_hallucination_are_false_and_a_combination_repeats_none():
    gold = (GoldFindings(hallucination=False), GoldFindings(hallucination=True), GoldFindings(hallucination=False))
    material = Material(("1", "2", "3"), gold, ("q1", "q2", "q3"), ("", "", ""))
    judge = member(
        "judge",
        {
            "1": [finding(tags=("omission", "copies_snippet")), finding(tags=("omission",)), finding()],
            "2": [finding(tags=("omission",))],
            "3": "no reply",
        },
    )
    line = Findings("1", (finding(tags=("omission",)),), score=0.5)
    whole = Member("all", "all", 0, "combined[1]", {"1": line})
    expected = {"findings": 3, "omission": 2, "copies_snippet": 1, "untagged": 1}
    assert count_false_alarms([judge, whole], material) == expected
    assert list(count_false_alarms([judge], material)) == list(expected)
    assert count_false_alarms([whole], material) == {"findings": 1, "omission": 1}

"""Exact answers as answers: the owners' own beside another question's, and a run that tells them apart."""

import json

import bench_trees as trees

from fas.bench.dataset import Item
from fas.bench.exact import exact_candidates
from fas.cli import main


def item(number, kind, exact):
    return Item(id=str(number), question=f"Q{number}?", references=("R.",), kind=kind, meta={"exact": exact})


ITEMS = [
    item(1, "yesno", "yes"),
    item(2, "factoid", [["CYP2D6", "2D6"]]),
    item(3, "factoid", [["CYP3A4"]]),
    item(4, "list", [["KIT"], ["PDGFRA", "CD140a"]]),
    item(5, "list", [["BRAF"], ["KRAS"]]),
    item(6, "summary", None),
]


def test_each_question_gets_its_own_answer_and_a_wrong_one_of_the_same_type():
    found = list(exact_candidates(ITEMS, seed=1))
    assert [(c.item, c.gold, c.text) for c in found] == [
        ("1", 1.0, "Yes."),
        ("1", 0.0, "No."),
        ("2", 1.0, "CYP2D6"),
        ("2", 0.0, "CYP3A4"),
        ("3", 1.0, "CYP3A4"),
        ("3", 0.0, "CYP2D6"),
        ("4", 1.0, "- KIT\n- PDGFRA"),
        ("4", 0.0, "- BRAF\n- KRAS"),
        ("5", 1.0, "- BRAF\n- KRAS"),
        ("5", 0.0, "- KIT\n- PDGFRA"),
    ]
    assert list(exact_candidates(ITEMS, seed=1)) == found


def test_a_synonym_of_the_right_answer_is_no_wrong_one():
    same = [item(1, "factoid", [["CYP2D6", "2D6"]]), item(2, "factoid", [["2D6"]])]
    assert [c.gold for c in exact_candidates(same, seed=1)] == [1.0, 1.0]


def test_the_command_scores_them_and_writes_the_control(tmp_path, capsys):
    trees.bioasq(tmp_path / "data")
    out = tmp_path / "out"
    arguments = ["--data", str(tmp_path / "data"), "--answers", "exact", "-o", str(out), "--quiet"]
    assert main(["bench", "run", "bioasq", *arguments]) == 0
    records = [json.loads(line) for line in (out / "exact" / "scores.jsonl").read_text().splitlines()]
    assert {record["meta"]["control"] for record in records} == {"right", "wrong"}
    assert "another's" in (out / "tables" / "control.md").read_text()

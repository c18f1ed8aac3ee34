"""`fas labels` without a browser: merging, agreement, other tools' files; against scikit-learn and by hand."""

from __future__ import annotations

import json

import pytest
from labelled_runs import made_run
from sklearn.metrics import cohen_kappa_score

from fas.cli import main
from fas.labels.drawing import draw_claims
from fas.labels.files import read_labels
from fas.labels.judged import read_judged
from fas.labels.merge import merge


@pytest.fixture
def labelled(tmp_path):
    """A run, the truth of its claims, and two people's files: the second differs on every fourth claim."""
    truth = made_run(tmp_path / "out", n=40)
    run = read_judged(tmp_path / "out")
    drawn = draw_claims(run.claims, 40)
    for person, wrong in (("ada", 0), ("bob", 4)):
        with (tmp_path / f"{person}.jsonl").open("w", encoding="utf-8") as out:
            for i, one in enumerate(drawn):
                label = "bad" if wrong and i % wrong == 0 else truth[one.claim.key]
                row = {"id": one.claim.id, "claim": one.claim.claim, "label": label if i < 36 else None, "pi": one.pi,
                       "stratum": one.stratum, "text": one.claim.text, "annotator": person}  # fmt: skip
                out.write(json.dumps(row) + "\n")
    return tmp_path, run, truth


def test_kappa_is_that_of_scikit_learn_and_disputed_claims_stay_open(labelled):
    folder, run, _ = labelled
    found = merge(run, [folder / "ada.jsonl", folder / "bob.jsonl"])
    said = [
        [json.loads(line)["label"] for line in (folder / f"{name}.jsonl").read_text().splitlines()][:36]
        for name in ("ada", "bob")
    ]
    kappa = found.kappa["ada", "bob"]
    assert kappa.value == pytest.approx(cohen_kappa_score(*said))
    assert kappa.low < kappa.value < kappa.high
    assert found.people == {"ada": 36, "bob": 36}
    assert len(found.disputed) == len(found.unsettled) == 9
    assert len(found.labels) == 27
    assert len(found.open) == 13


@pytest.mark.parametrize("tool", ["label-studio", "argilla"])
def test_claims_go_to_another_tool_and_their_labels_come_back(labelled, tool):
    folder, run, truth = labelled
    out = folder / "tasks.json"
    assert main(["labels", "draw", str(folder / "out"), "-n", "30", "--to", tool, "-o", str(out)]) == 0
    tasks = json.loads(out.read_text(encoding="utf-8"))
    for i, task in enumerate(tasks):
        data = task["data"] if tool == "label-studio" else task["metadata"]
        label = truth[data["id"], data["claim"]]
        if i == 0:
            continue  # nobody has come to it
        if tool == "label-studio":  # as its JSON export has them
            choice = {"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": [label]}}
            task |= {"id": i, "annotations": [{"id": i, "completed_by": {"id": 7, "email": "ada@example.org"},
                                               "was_cancelled": False, "result": [choice]}]}  # fmt: skip
        else:  # as Argilla 2 writes records
            task |= {"responses": {"label": [{"value": label, "user_id": "ada", "status": "submitted"}]}}
    out.write_text(json.dumps(tasks), encoding="utf-8")
    back = folder / "back.jsonl"
    assert main(["labels", "import", str(out), "--from", tool, "-o", str(back)]) == 0
    labels = read_labels(back)
    assert len(labels.labels) == 29
    assert len(labels.open) == 1
    assert all(truth[one.key] == one.label for one in labels.labels)
    assert all(one.pi is not None for one in labels.labels)
    assert merge(run, [back]).people


def fault_rows(run, person, faults):
    drawn = draw_claims(run.claims, 30, stratify=False)
    return "".join(
        json.dumps({"id": one.claim.id, "claim": one.claim.claim, "faults": faults(i), "pi": one.pi,
                    "text": one.claim.text, "annotator": person}) + "\n"
        for i, one in enumerate(drawn)
    )  # fmt: skip


def test_faults_of_claims_are_merged_by_majority_and_their_shares_stand_beside_those_by_rule(labelled, capsys):
    folder, run, _ = labelled
    said = {
        "ada": lambda i: ["incomplete"] if i < 12 else ["redundant", "omitted"] if i < 15 else [],
        "bob": lambda i: ["incomplete"] if i < 10 else ["redundant"] if i < 15 else [],
        "cy": lambda i: ["Incomplete", "context-dependent"] if i < 12 else [],
    }
    files = []
    for person, faults in said.items():
        (folder / f"{person}.jsonl").write_text(fault_rows(run, person, faults), encoding="utf-8")
        files.append(str(folder / f"{person}.jsonl"))
    out = folder / "faults.jsonl"
    assert main(["labels", "merge", str(folder / "out"), *files, "-o", str(out), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    # Claims 0 to 11 have "incomplete" by two or three of three, 12 to 14 "redundant" by two.
    assert printed["faults"]["incomplete"]["people"]["value"] == pytest.approx(12 / 30)
    assert printed["faults"]["redundant"]["people"]["value"] == pytest.approx(3 / 30)
    assert printed["faults"]["context_dependent"]["people"]["value"] == 0
    assert printed["faults"]["any of these"]["people"]["value"] == pytest.approx(15 / 30)
    assert printed["faults"]["incomplete"]["people"]["low"] < 0.4 < printed["faults"]["incomplete"]["people"]["high"]
    labels = [["+".join(sorted(one(i))) for i in range(30)] for one in (said["ada"], said["bob"])]
    assert printed["kappa"]["ada - bob"]["value"] == pytest.approx(cohen_kappa_score(*labels))
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert sorted(len(row["faults"]) for row in rows) == [0] * 15 + [1] * 15
    # Such labels say nothing of verdicts.
    assert main(["labels", "adjust", str(folder / "out"), "--labels", str(out)]) == 2
    assert "labels of faults say nothing of verdicts" in capsys.readouterr().err
    two = ["labels", "merge", str(folder / "out"), *files[:2], "-o", str(out)]
    assert main(two) == 0  # of two people who do not agree, nobody decides
    text = capsys.readouterr().out
    assert "25 claims have a label, 5 have none; 5 are disputed, 5 of them not settled" in text
    assert "claims, by people" in text

"""Claims that come with the answers: behind the filter `core`, and with labels of people."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from fas.cli import main
from fas.core.answers.schema import to_answer
from fas.core.errors import InputError
from fas.report.factuality import factuality_report

CLAIMS = ["Aspirin thins the blood.", "Aspirin thins the blood.", "Honey cures cancer."]
PREDICTION = "Aspirin thins the blood. Honey tastes sweet."
QUIET = ("--quiet", "--no-safety", "--n-resamples", "20", "--precision", "fp32")


def profile(tmp_path, filter_line):
    path = tmp_path / "p.toml"
    path.write_text(f'[claims]\nname = "spacy"\n{filter_line}\n[verify]\nname = "lexical"\n')
    return str(path)


def score(tmp_path, claims, name="out", filter_line='filter = "core"', **more):
    (tmp_path / "a.jsonl").write_text(
        json.dumps({"id": "a", "prediction": PREDICTION, "claims": claims, "passages": ["Aspirin thins the blood."],
                    **more}) + "\n"
    )  # fmt: skip
    out = tmp_path / name
    assert main(["score", str(tmp_path / "a.jsonl"), "-o", str(out), "--profile", profile(tmp_path, filter_line),
                 *QUIET]) == 0  # fmt: skip
    return out


def test_given_claims_go_through_the_filter_that_the_signature_names(tmp_path, fresh_cache):
    out = score(tmp_path, [*CLAIMS[:2], {"text": CLAIMS[2], "start": 25, "end": 44}])
    record = json.loads((out / "scores.jsonl").read_text())
    # The repeated one is kept once, and what its sentence does not entail goes.
    assert [claim["text"] for claim in record["claims"]] == ["Aspirin thins the blood."]
    assert "+core[" in json.loads((out / "report.json").read_text())["signature"]


def test_a_finished_run_is_compared_with_itself_behind_core(tmp_path, fresh_cache, capsys):
    out = score(tmp_path, [*CLAIMS[:2], {"text": CLAIMS[2], "start": 25, "end": 44}], filter_line="")
    report = factuality_report([out], core="uniform", n_resamples=20)
    without, behind = report.runs
    assert (without.n_claims, behind.n_claims) == (3, 1)
    assert without.metrics["factuality"].mean == pytest.approx(2 / 3)
    assert behind.metrics["factuality"].mean == 1.0
    assert behind.filter.startswith("core[")
    capsys.readouterr()
    assert main(["results", "factuality", str(out), "--core", "--n-resamples", "20"]) == 0
    shown = capsys.readouterr().out
    assert "only the claims that core[" in shown
    assert main(["results", "factuality", str(out), str(out), "--core"]) == 2


def labelled(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_labelled_claims_are_scored_as_people_judged_them(tmp_path):
    path = labelled(
        tmp_path / "people.jsonl",
        [
            {"prediction": "A. B.", "claims": [{"text": b, "label": b} for b in ("S", "NS", "IR")]},
            {"prediction": "D.", "claims": [{"text": "D.", "label": "supported"}], "kind": "x"},
        ],
    )
    means = [
        factuality_report([path], irrelevant=treatment, n_resamples=20).runs[0].metrics["factuality"].mean
        for treatment in ("leave-out", "unsupported", "supported")
    ]
    assert means == pytest.approx([(1 / 2 + 1) / 2, (1 / 3 + 1) / 2, (2 / 3 + 1) / 2])
    with pytest.raises(InputError, match=r"line 1: field 'claims': item 1 needs a `label` \(s, contradicted, ns, ir"):
        factuality_report([labelled(tmp_path / "b.jsonl", [{"prediction": "A.", "claims": ["A."]}])])


def test_a_label_of_a_wrong_type_is_told():
    with pytest.raises(InputError, match="`label` must be a string or null"):
        to_answer({"prediction": "A.", "claims": [{"text": "A.", "label": 3}]}, line=1, where="f, line 1")


@pytest.mark.parametrize("irrelevant", ["leave-out", "unsupported"])
def test_factscores_people_give_the_papers_arithmetic(shared_data, tmp_path, irrelevant):
    source = shared_data / "eval" / "factscore_labeled" / "ChatGPT.jsonl.gz"
    if not source.is_file():
        pytest.skip("no FActScore labels among the development data")
    rows, shares = [], []
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            facts = [f for part in row["annotations"] or () for f in part["human-atomic-facts"] or ()]
            rows.append({"prediction": row["output"], "claims": facts})
            n = [f["label"] for f in facts if irrelevant == "unsupported" or f["label"] != "IR"]
            if n:
                shares.append(n.count("S") / len(n))
    found = factuality_report([labelled(tmp_path / "x.jsonl", rows)], irrelevant=irrelevant, n_resamples=20)
    assert found.runs[0].metrics["factuality"].mean == pytest.approx(math.fsum(shares) / len(shares))

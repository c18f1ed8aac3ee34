"""Runs made up with the truth of their claims and statements, and files of labels for them."""

from __future__ import annotations

import json

import numpy as np
from report_data import SIGNATURE

LABELS = ("covered", "denied", "omitted")


def made_run(folder, seed=0, n=120, rate=0.7, right=0.85, samples=2, name="a"):
    """A result folder and the truth of its claims; verdicts err at random, two answers share a question."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True, exist_ok=True)
    truth = {}
    with (folder / "scores.jsonl").open("w", encoding="utf-8") as out:
        for i in range(n):
            claims = []
            own = np.clip(rng.normal(rate, 0.2), 0, 1)
            for j in range(int(rng.integers(1, 7))):
                gold = "supported" if rng.random() < own else str(rng.choice(["contradicted", "unsupported"]))
                others = [one for one in ("supported", "contradicted", "unsupported") if one != gold]
                label = gold if rng.random() < right else str(rng.choice(others))
                p = float(rng.uniform(0.7, 1))
                p_support, p_contradict = {"supported": (p, 1 - p), "contradicted": (1 - p, p)}.get(label, (0.2, 0.2))
                truth[f"q{i}", j + 1] = gold
                claims.append({"text": f"Claim {i}.{j} of {name}.", "start": None, "end": None, "label": label,
                               "conflicting": False, "p_support": p_support, "p_contradict": p_contradict,
                               "evidence": []})  # fmt: skip
            verdicts = [claim["label"] for claim in claims]
            s, c, u = (verdicts.count(one) / len(verdicts) for one in ("supported", "contradicted", "unsupported"))
            bert = float(rng.uniform(0.7, 0.9))
            out.write(json.dumps({
                "id": f"q{i}", "question": f"Question {i // samples}?", "prediction": "Text.", "meta": {},
                "fas": 0.3 * bert + 0.4 * s + 0.3 * (1 - c), "fas_evidence": (0.4 * s + 0.3 * (1 - c)) / 0.7,
                "k": 5, "support": s, "contra": c, "unsupported": u, "bertscore_f1": bert, "n_claims": len(claims),
                "n_unverified": 0, "n_no_evidence": 0, "n_conflicting": 0, "claims": claims, "flags": [],
                "error": None}) + "\n")  # fmt: skip
    (folder / "report.json").write_text(json.dumps({"signature": SIGNATURE.format(n=n)}), encoding="utf-8")
    return truth


def write_labels(path, truth, drawn, pi=True):
    with path.open("w", encoding="utf-8") as out:
        for one in drawn:
            row = {"id": one.claim.id, "claim": one.claim.claim, "label": truth[one.claim.key], "text": one.claim.text}
            out.write(json.dumps(row | ({"pi": one.pi, "stratum": one.stratum} if pi else {})) + "\n")
    return path


def covered_run(folder, n=120, right=0.8, seed=5):
    """A run whose answers have statements, and the truth of these; the verifier finds too few of them."""
    made_run(folder, n=n)
    rng = np.random.default_rng(seed)
    scores = folder / "scores.jsonl"
    records = [json.loads(line) for line in scores.read_text(encoding="utf-8").splitlines()]
    truth = {}
    for record in records:
        statements = []
        for j in range(int(rng.integers(2, 6))):
            gold = str(rng.choice(LABELS, p=(0.6, 0.1, 0.3)))
            label = gold if rng.random() < right else "omitted"
            kind = "must" if j < 2 or rng.random() < 0.7 else "nice"
            truth[record["id"], j + 1] = gold
            statements.append({"text": f"Statement {j} of {record['id']}.", "kind": kind, "label": label,
                               "p_support": 0.9 if label == "covered" else 0.2,
                               "p_contradict": 0.9 if label == "denied" else 0.05, "sentence": "Text."})  # fmt: skip
        record["statements"] = statements
        must = [one["label"] for one in statements if one["kind"] == "must"]
        nice = [one["label"] for one in statements if one["kind"] == "nice"]
        for name, label in (("coverage", "covered"), ("omitted", "omitted"), ("denied", "denied")):
            record[name] = must.count(label) / len(must)
        record["coverage_nice"] = nice.count("covered") / len(nice) if nice else None
        record["fas_f1"] = None
    scores.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return truth, {record["id"]: record["statements"] for record in records}


def write_statements(path, truth, drawn):
    rows = [
        {"id": one.claim.id, "statement": one.claim.claim, "label": truth[one.claim.key], "pi": one.pi,
         "stratum": one.stratum, "text": one.claim.text}
        for one in drawn
    ]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path

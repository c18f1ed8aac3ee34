"""Made-up runs for the tests of reports: records of `scores.jsonl` and the report that goes with them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np

from fas.core.records import FlagRate, MetricSummary, Report
from fas.core.records.stored import metric_field
from fas.stats.bootstrap import mean_intervals

DRUGS = ("metformin", "warfarin", "lisinopril", "amoxicillin", "ibuprofen", "prednisone", "sertraline")
CONDITIONS = ("type 2 diabetes", "atrial fibrillation", "hypertension", "pneumonia", "gout", "asthma", "depression")
VERBS = ("lowers the risk of complications in", "is a usual first choice for", "has little effect on", "may worsen")
LABELS = ("supported", "contradicted", "unsupported", "unverified")
METRICS = (
    "fas", "fas_evidence", "support@5", "contra@5", "unsupported@5", "rouge1", "rouge2", "rougeL", "bleu4",
    "bertscore_f1",
)  # fmt: skip
SIGNATURE = (
    "n:{n}|claims:spacy[fas-en-mini@3]|evidence:passages[k=5]|verify:nli[fas-nli-mini@3,t=0.70,win=2]|ref:ptb"
    "|bertscore:fas-encoder-mini[L6]|prec:fp32|w:0.30/0.40/0.30|safety:rules@2026.11|boot:10000|seed:12345|v:0.1.0"
)


def make_records(n, seed=0, shift=0.0):
    """*n* records with claims, evidence, flags; every 40th failed, every 25th empty, every 30th unverified."""
    rng = random.Random(seed)
    return [_record(i, rng, shift) for i in range(1, n + 1)]


def _record(i, rng, shift):
    kind = rng.choice(("factoid", "list", "summary"))
    drug, condition = rng.choice(DRUGS), rng.choice(CONDITIONS)
    record: dict[str, Any] = {"k": 5} | dict.fromkeys(map(metric_field, METRICS))
    record |= {
        "id": f"q{i:04d}",
        "question": f"What is {drug} used for in people with {condition}?",
        "prediction": "",
        "meta": {"type": kind, "model": rng.choice(("model-a", "model-b")), "note": f"free text {i}"},
        "n_claims": 0,
        "n_unverified": 0,
        "n_no_evidence": 0,
        "n_conflicting": 0,
        "claims": [],
        "flags": [],
        "error": None,
    }
    if i % 40 == 0:
        record |= {"id": f"line:{i}", "question": None, "meta": {}}
        record["error"] = {
            "type": "missing_prediction",
            "line": i,
            "field": "prediction",
            "message": f"answers.jsonl, line {i}: field 'prediction': missing",
        }
        return record
    if i % 25 == 0:
        return record
    text = ""
    for number in range(rng.randint(2, 7)):
        sentence = f"{rng.choice(DRUGS).capitalize()} {rng.choice(VERBS)} {rng.choice(CONDITIONS)}."
        start = len(text) + (1 if text else 0)
        text = f"{text} {sentence}" if text else sentence
        label = rng.choices(LABELS[:3], (5, 1.5, 3))[0]
        if i % 30 == 0 and number == 0:
            label = "unverified"
        p_support = {"supported": rng.uniform(0.7, 1), "unverified": None}.get(label, rng.uniform(0, 0.6))
        p_contradict = {"contradicted": rng.uniform(0.7, 1), "unverified": None}.get(label, rng.uniform(0, 0.25))
        claim = {
            "text": sentence,
            "start": start,
            "end": start + len(sentence),
            "label": label,
            "conflicting": label == "supported" and rng.random() < 0.05,
            "p_support": p_support,
            "p_contradict": p_contradict,
            "evidence": [
                {
                    "id": str(rng.randint(10**7, 4 * 10**7)) if rng.random() < 0.8 else f"note-{rng.randrange(99)}",
                    "title": f"A trial of {rng.choice(DRUGS)} in adults with {rng.choice(CONDITIONS)}",
                    "year": rng.randint(2014, 2024),
                    "sentence": f"In {rng.randint(40, 900)} patients, {rng.choice(DRUGS)} reduced symptoms of "
                    f"{rng.choice(CONDITIONS)} by {rng.randint(5, 60)} percent after {rng.randint(2, 52)} weeks.",
                    "p_support": p_support,
                    "p_contradict": p_contradict,
                }
                for _ in range(0 if label == "unverified" else rng.randint(1, 5))
            ],
        }
        if label == "unverified":
            claim["failure"] = "timeout: no reply within 30 s"
        record["claims"].append(claim)
    record["prediction"] = text
    if rng.random() < 0.2:
        word = text.split()[0]
        record["flags"].append(
            {
                "flag": "MISSING_DOSAGE", "code": "MISSING_DOSAGE.strength", "drug": word.lower(), "rxcui": "6809",
                "target": None, "start": 0, "end": len(word), "severity": "medium", "status": None, "rule": "D-17",
                "source": "label", "message": f"{word} is recommended without a dose.",
            }
        )  # fmt: skip
    if rng.random() < 0.06:
        word = text.split()[0]
        record["flags"].append(
            {
                "flag": "CONTRAINDICATED", "code": "CONTRAINDICATED.boxed", "drug": word.lower(), "rxcui": "6809",
                "target": "renal failure", "start": 0, "end": len(word), "severity": "high",
                "status": rng.choice((None, "deferred_to_label")), "rule": "C-3", "source": "label, 2025",
                "message": f"{word} must not be given in renal failure.",
            }
        )  # fmt: skip
    _score(record, rng, shift)
    return record


def _score(record, rng, shift):
    labels = [claim["label"] for claim in record["claims"] if claim["label"] != "unverified"]
    record["n_claims"] = len(record["claims"])
    record["n_unverified"] = record["n_claims"] - len(labels)
    record["n_conflicting"] = sum(claim["conflicting"] for claim in record["claims"])
    for name in ("rouge1", "rouge2", "rougeL", "bleu4"):
        record[name] = round(min(1, max(0, rng.gauss(0.35 + shift, 0.15))), 6)
    record["bertscore_f1"] = round(min(1, rng.gauss(0.7 + shift, 0.08)), 6)
    if labels:
        support, contra = labels.count("supported") / len(labels), labels.count("contradicted") / len(labels)
        record |= {"support": support, "contra": contra, "unsupported": 1 - support - contra}
        record["fas_evidence"] = (0.4 * support + 0.3 * (1 - contra)) / 0.7
        record["fas"] = 0.3 * record["bertscore_f1"] + 0.4 * support + 0.3 * (1 - contra)


def write_records(folder, records):
    """`scores.jsonl` of a result folder; returns its path."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    path = Path(folder) / "scores.jsonl"
    # Escaped, so that a lone surrogate can be written too.
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def make_report(records, by=("type",), notes=("12 of 210 claims are unverified and omitted from the shares",)):
    """The report that a run over *records* would write."""
    scored = [record for record in records if record["error"] is None]

    def summaries(rows):
        if not rows:
            return {}
        columns = {m: np.array([r[metric_field(m)] for r in rows], dtype=float) for m in METRICS}
        return mean_intervals(columns, n_resamples=400)

    flags = {}
    for name in sorted({flag["flag"] for record in scored for flag in record["flags"]}):
        hits = [any(flag["flag"] == name and flag["status"] is None for flag in record["flags"]) for record in scored]
        found: MetricSummary = mean_intervals({name: np.array(hits, dtype=float)}, n_resamples=400)[name]
        flags[name] = FlagRate(sum(hits), found.mean, found.low, found.high)
    groups = {
        field: {
            value: summaries([r for r in scored if str(r["meta"].get(field)) == value])
            for value in sorted({str(r["meta"].get(field)) for r in scored})
        }
        for field in by
    }
    return Report(
        signature=SIGNATURE.format(n=len(records)),
        n=len(records),
        n_unscored=sum(record["fas_evidence"] is None for record in scored),
        n_failed=len(records) - len(scored),
        metrics=summaries(scored),
        groups=groups,
        flags=flags,
        timing={"claims": 1.25, "verify": 20.5},
        versions={"fact-aligned-score": "0.1.0", "python": "3.11.9"},
        notes=tuple(notes),
    )

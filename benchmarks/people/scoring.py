"""Every metric of every row: FAS and its parts by each verifier, coverage, and the cheap metrics.

The second verifier judges the claims and statements that the first run took, so that the two differ in the verifier
alone; the parts of the score that no verifier changes are the first run's.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.people.material import Material
from fas.api import score_file
from fas.evidence.vectors import KeptVectors
from fas.models.encoder import load_encoder
from fas.core.profile import PartSpec, Weights, load_profile
from fas.core.records.statements import COVERAGE_METRICS, harmonic_mean
from fas.text.sentences import sentence_spans

VERIFIERS = ("nli", "lexical")
"""The verifiers that ship and need no language model; the first is the default."""
CHEAP = ("rouge1", "rougeL", "bleu4", "bertscore_f1")
K = 5


def score(material: Material, folder: Path, settings: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """Signatures and values, `{row: {metric: value}}`; an interrupted call resumes.

    Args:
        material: The rows.
        folder: Where results are kept.
        settings: Of the profile.
        seed: Of the profile.
    """
    options = {"safety": False, "precision": "fp32", "seed": seed, **settings}
    first = _run(folder / "nli", list(material.rows.values()), options)
    records = {record["id"]: record for record in first["records"]}
    again = [_taken(row, records[name]) for name, row in material.rows.items() if records[name]["error"] is None]
    second = _run(folder / "lexical", again, {**options, "verify": PartSpec("lexical")})
    other = {record["id"]: record for record in second["records"]}
    cosine = _cosines(material)
    values = {}
    for name, row in material.rows.items():
        if records[name]["error"] is None:
            values[name] = _values(row, records[name], other[name]) | {"cosine": cosine[name]}
    return {
        "signatures": {"nli": first["signature"], "lexical": second["signature"]},
        "errors": len(records) - len(values),
        "values": values,
    }


def _run(folder: Path, rows: list[dict[str, Any]], options: Mapping[str, Any]) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    source = folder.parent / f"{folder.name}.jsonl"
    source.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    report = score_file(source, folder, profile=load_profile("mini").override(**options), on_error="record")
    text = (folder / "scores.jsonl").read_text(encoding="utf-8")
    return {"signature": report.signature, "records": [json.loads(line) for line in text.splitlines()]}


def _taken(row: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
    """*row* with the claims and statements of the first run, and no reference that they would be taken from again."""
    kept = {name: value for name, value in row.items() if name not in ("references", "statements")}
    kept["claims"] = [claim["text"] for claim in record["claims"]]
    if record.get("statements"):
        kept["statements"] = [{"text": one["text"], "kind": one["kind"]} for one in record["statements"]]
    return kept


def _values(row: Mapping[str, Any], first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, float]:
    weights = Weights()
    found = {name: _number(first.get(name)) for name in CHEAP}
    found["words"] = float(len(row["prediction"].split()))
    for verifier, record in (("", first), ("lexical ", second)):
        support, contra = (_number(record.get(f"{name}@{K}")) for name in ("support", "contra"))
        found[f"{verifier}support@{K}"] = support
        found[f"{verifier}1 - contra@{K}"] = 1 - contra
        claims = [claim for claim in record.get("claims") or () if claim.get("p_support") is not None]
        for name, field in (("p(support)", "p_support"), ("1 - p(contradict)", "p_contradict")):
            mean = float(np.mean([claim[field] for claim in claims])) if claims else math.nan
            found[verifier + name] = mean if field == "p_support" else 1 - mean
        bert = found["bertscore_f1"]
        found[f"{verifier}fas"] = (
            weights.bertscore * bert + weights.support * support + weights.no_contradiction * (1 - contra)
        )
        if any(record.get(name) is not None for name in COVERAGE_METRICS):
            coverage = _number(record.get("coverage"))
            found[f"{verifier}coverage"] = coverage
            found[f"{verifier}fas_f1"] = harmonic_mean(support, coverage)
    return found


def _cosines(material: Material) -> dict[str, float]:
    """Cosine of an answer with its nearest reference, each the mean over its sentences' embeddings."""
    encoder = KeptVectors(load_encoder(precision="fp32"), "fp32")

    def embedded(text: str) -> np.ndarray:
        parts = [text[start:end] for start, end in sentence_spans(text)] or [text]
        vector: np.ndarray = encoder.embed(parts).mean(0)
        return vector / max(float(np.linalg.norm(vector)), 1e-12)

    found = {}
    for name, row in material.rows.items():
        own = embedded(row["prediction"])
        found[name] = max(float(own @ embedded(reference)) for reference in row["references"])
    return found


def _number(value: Any) -> float:
    return math.nan if value is None else float(value)

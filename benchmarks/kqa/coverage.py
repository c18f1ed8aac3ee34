"""Coverage against K-QA's physicians: what of the must-have statements an answer says, by people and by metrics.

Run as `python -m benchmarks.kqa.coverage --data DATA` (ten minutes on two cores); writes coverage.json and coverage.md
beside it. The 50 judged answers are scored twice: with the physicians' statements, and with the claims of the
physicians' answer in their place, which is what a user without statements has.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import write

import fas
from fas.bench.kqa import KQA, read_judged_answers
from fas.report.correlate import correlate_scores
from fas.report.tables import json_ready
from fas.stats.agreement import cohen_kappa

HERE = Path(__file__).parent
STORED, PAGE = HERE / "coverage.json", HERE / "coverage.md"
SHOWN = ("coverage", "fas_f1", "support@5", "fas", "rouge1", "rougeL", "bertscore_f1", "omitted")
OTHERS = ("rougeL", "fas")
NAMES = {"covered": "Entailment", "omitted": "Neutral", "denied": "Contradiction"}


def answers(data: Path, *, statements: bool) -> list[dict[str, Any]]:
    """The judged answers as input; the physicians' answer is both reference and evidence."""
    references = {" ".join(item.question.split()): item.references for item in KQA().items(data)}
    found = []
    for i, judged in enumerate(read_judged_answers(data)):
        own = references[" ".join(judged.question.split())]
        row: dict[str, Any] = {
            "id": f"{i}-{judged.model}",
            "question": judged.question,
            "prediction": judged.answer,
            "references": list(own),
            "passages": list(own),
        }
        if statements:
            row["statements"] = [
                *judged.must_have,
                *({"text": text, "kind": "nice"} for text in judged.nice_to_have),
            ]
        found.append(row)
    return found


def measure(data: Path, verifier: dict[str, Any]) -> dict[str, Any]:
    """Both ways of scoring against the physicians."""
    judged = read_judged_answers(data)
    found: dict[str, Any] = {}
    for name in ("statements", "references"):
        rows = answers(data, statements=name == "statements")
        with tempfile.TemporaryDirectory() as folder:
            report = fas.score_answers(rows, coverage=True, safety=False, precision="fp32", **verifier)
            records = [score.as_dict(5) for score in report.answers]
            scores, gold = Path(folder) / "scores.jsonl", Path(folder) / "gold.jsonl"
            scores.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
            values = [one.counts().as_meta()["comprehensiveness"] for one in judged]
            gold.write_text(
                "".join(
                    json.dumps({"id": row["id"], "gold": value}) + "\n"
                    for row, value in zip(rows, values, strict=True)
                    if value is not None
                ),
                encoding="utf-8",
            )
            tables = {other: correlate_scores(scores, gold, against=other, metrics=[*SHOWN]) for other in OTHERS}
        found[name] = {
            "signature": report.signature,
            **{other: {k: v for k, v in one.as_dict().items() if k != "scores" and k != "gold"}
               for other, one in tables.items()},
        }  # fmt: skip
        if name == "statements":
            found["agreement"] = agreement(judged, records)
    return found


def agreement(judged: list[Any], records: list[dict[str, Any]]) -> dict[str, Any]:
    """Statement by statement."""
    people, machine, question = [], [], []
    for one, record in zip(judged, records, strict=True):
        for label, own in zip(one.labels(), record["statements"], strict=True):
            people.append(label)
            machine.append(NAMES[own["label"]])
            question.append(one.question)
    kappa = cohen_kappa(people, machine, clusters=np.unique(question, return_inverse=True)[1])
    pairs = list(zip(people, machine, strict=True))
    table = {label: {other: pairs.count((label, other)) for other in NAMES.values()} for label in NAMES.values()}
    return {
        "n": len(people),
        "kappa": {"value": kappa.value, "low": kappa.low, "high": kappa.high},
        "accuracy": float(np.mean([p == m for p, m in zip(people, machine, strict=True)])),
        "people_by_machine": table,
    }


def page(stored: dict[str, Any]) -> str:
    """The tables."""
    lines = [
        "# Coverage on K-QA",
        "",
        "Made by `python -m benchmarks.kqa.coverage --data DATA` from `coverage.json`; not edited by hand.",
        "",
        "Spearman's correlation with comprehensiveness by three physicians (share of must-have statements that the "
        "answer entails), over the judged answers, with 95% intervals that resample questions. `statements`: the "
        "physicians' statements are looked for in the answer; `references`: the claims of the physicians' answer are. "
        "The evidence of support is the physicians' answer. Differences are of Spearman's correlations, paired.",
        "",
    ]
    for way in ("statements", "references"):
        tables = [stored[way][other]["metrics"] for other in OTHERS]
        lines += [
            f"## With {way}",
            "",
            "| metric | Spearman | 95% interval | less ROUGE-L | 95% interval | less FAS | 95% interval | n |",
            "|:---|---:|---:|---:|---:|---:|---:|---:|",
        ]
        for name, row in tables[0].items():
            own = row["spearman"]
            others = [table[name].get("against") or {} for table in tables]
            cells = [cell for other in others for cell in (_signed(other.get("difference")), _limits(other))]
            lines.append(f"| {name} | {_signed(own['value'])} | {_limits(own)} | {' | '.join(cells)} | {own['n']} |")
        lines += ["", f"`{stored[way]['signature']}`", ""]
    found = stored["agreement"]
    kappa = found["kappa"]
    lines += [
        "## Statement by statement",
        "",
        f"{found['n']} statements; accuracy {100 * found['accuracy']:.1f}%, Cohen's kappa {kappa['value']:.3f} "
        f"[{kappa['low']:.3f}, {kappa['high']:.3f}].",
        "",
        "| physicians | " + " | ".join(f"{name} by the verifier" for name in NAMES.values()) + " |",
        "|:---|---:|---:|---:|",
    ]
    for label, row in found["people_by_machine"].items():
        lines.append(f"| {label} | " + " | ".join(str(row[name]) for name in NAMES.values()) + " |")
    table = found["people_by_machine"]
    entailed = table["Entailment"]
    said = stored["statements"]["fas"]["metrics"]["coverage"]["against"]
    shown = (said["low"] or 0) > 0
    lines += [
        "",
        "## What this says",
        "",
        f"Coverage follows physicians more than FAS does by {said['difference']:+.3f} ({_limits(said)}): "
        + ("the interval leaves out 0." if shown else "upward, but the interval has 0 in it.")
        + f" Of {sum(entailed.values())} statements that physicians found in the answers the verifier finds "
        f"{entailed['Entailment']}. Of the missed ones those of the first fourteen answers were read: most are said in "
        "other words or over several sentences; of some the answer says a part only (cleaning clothes, not washing them "
        "hot; a white tongue's causes without syphilis), and the physicians let that count. ROUGE-1, which counts words, "
        "follows the physicians as well as coverage does.",
    ]
    return "\n".join(lines) + "\n"


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def _limits(row: dict[str, Any]) -> str:
    if row.get("low") is None:
        return "–"
    return f"{row['low']:+.3f} to {row['high']:+.3f}"


def pages() -> dict[Path, str]:
    """The page, of what is stored."""
    return {PAGE: page(json.loads(STORED.read_text(encoding="utf-8")))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with K-QA's files")
    parser.add_argument("--page", action="store_true", help="only write the page from what is stored")
    options = parser.parse_args()
    if not options.page:
        STORED.write_text(json.dumps(json_ready(measure(options.data, {})), indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

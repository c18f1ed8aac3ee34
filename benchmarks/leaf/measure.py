"""RAFE's form with the embedded verifier, beside the profile `mini`, on MIRAGE's stored explanations; no model server.

python -m benchmarks.leaf.measure -o runs/leaf --data DATA     # score (resumable), results.json, the tables in README.md
python -m benchmarks.leaf.measure -o runs/leaf --stored        # the same from folders that are scored already
"""

from __future__ import annotations

import argparse
import json
import re
from dataclasses import asdict
from pathlib import Path

from benchmarks.tables import filled, write

from fas.bench.alignment import align, align_difference, markdown, read_checked
from fas.bench.run import BenchmarkPlan, prepare, score
from fas.bench.stored import find_runs
from fas.core.profile import load_profile
from fas.report.tables import interval, json_ready, number, p_value, signed

HERE = Path(__file__).parent
PROFILES = {"rafe-embedded": str(HERE / "rafe-embedded.toml"), "mini": "mini"}
PARTS = {
    "all": {},
    "BioASQ": {"subset": "bioasq"},
    "PubMedQA": {"subset": "pubmedqa"},
    "from memory (cot)": {"mode": "cot"},
    "GPT-3.5": {"llm": "gpt-35-turbo-16k"},
    "GPT-4": {"llm": "gpt-4-32k"},
}
STORED = HERE / "results.json"


def run(out: Path, data: Path, limit: int | None) -> None:
    for name, source in PROFILES.items():
        profile = load_profile(source).override(safety=False)
        plan = BenchmarkPlan("mirage", out / name, data=data, limit=limit, tables=False)
        folders = prepare(plan, gold_profile=profile, profile=profile, tell=print)
        score(plan, folders, profile=profile, tell=print)


def measure(out: Path) -> dict:
    found = {"signatures": {}, "parts": {}, "differences": {}, "per_explanation": {}}
    for name in PROFILES:
        reports = [json.loads((folder / "report.json").read_text()) for folder in find_runs(out / name)]
        found["signatures"][name] = re.sub(r"^n:\d+\|", "", reports[0]["signature"])
        records = [
            json.loads(line)
            for folder in find_runs(out / name)
            for line in (folder / "scores.jsonl").open(encoding="utf-8")
        ]
        found["per_explanation"][name] = {
            "explanations": len(records),
            "claims": sum(len(record["claims"]) for record in records) / len(records),
            "without_a_claim": sum(not record["claims"] for record in records),
            "seconds": sum(report["timing"]["total"] for report in reports),
        }
    for part, where in PARTS.items():
        checked = {name: read_checked(out / name, where=where) for name in PROFILES}
        found["parts"][part] = {name: align(one, name).as_dict() for name, one in checked.items()}
        difference = align_difference(checked["rafe-embedded"], checked["mini"])
        found["differences"][part] = {name: json_ready(asdict(one)) for name, one in difference.items()}
    found["table"] = markdown([align(read_checked(out / name), name) for name in PROFILES])
    return found


def pages() -> dict[Path, str]:
    """The page with the tables of the stored results."""
    return filled(HERE / "README.md", {"results": page(json.loads(STORED.read_text(encoding="utf-8")))})


def page(found: dict) -> str:
    lines = ["### All explanations", "", found["table"]]
    for name, one in found["per_explanation"].items():
        lines.append(
            f"- `{name}`: {one['explanations']} explanations, {one['claims']:.2f} claims each, {one['without_a_claim']} "
            f"without a claim; `{found['signatures'][name]}`"
        )
    lines += ["", "### Parts", ""]
    lines += [
        "| part | run | n | right | all supported: precision | recall | F1 | alignment | AUROC of support | pairwise accuracy |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for part, runs in found["parts"].items():
        for name, one in runs.items():
            row, always = one["decisions"]["all supported"], one["decisions"]["always right"]
            area, pairs = one["auroc"]["support"], one["pairwise_accuracy"]["support"]
            cells = [shown(row[key]["mean"], row[key]) for key in ("precision", "recall", "f1", "alignment")]
            cells += [shown(area["value"], area), shown(pairs["value"], pairs)]
            lines.append(f"| {part} | {name} | {one['n']} | {always['alignment']['mean']:.3f} | {' | '.join(cells)} |")
    lines += ["", "### RAFE's form minus `mini`, in alignment, paired by question", ""]
    lines += ["| part | all supported | p | none contradicted | p |", "|---|--:|--:|--:|--:|"]
    for part, one in found["differences"].items():
        cells = []
        for name in ("all supported", "none contradicted"):
            cell = one[name]
            limits = interval(cell["low"], cell["high"], form="signed")
            cells += [f"{signed(cell['difference'])} {limits}", p_value(cell["p"])]
        lines.append(f"| {part} | {' | '.join(cells)} |")
    return "\n".join(lines)


def shown(value: float | None, limits: dict) -> str:
    if value is None:
        return "-"
    low, high = limits["low"], limits["high"]
    return number(value) if low is None or high is None else f"{number(value)} {interval(low, high)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, required=True, help="folder of the runs")
    parser.add_argument("--data", type=Path, help="folder of the benchmarks' files")
    parser.add_argument("--limit", type=int, help="at most so many questions, drawn with seed 12345")
    parser.add_argument("--stored", action="store_true", help="score nothing")
    options = parser.parse_args()
    if not options.stored:
        run(options.out, options.data, options.limit)
    STORED.write_text(json.dumps(measure(options.out), indent=1, allow_nan=False) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

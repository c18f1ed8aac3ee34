"""The control of short answers, from finished runs of `fas bench NAME --answers exact`: by labels and by probabilities.

    python -m benchmarks.bioasq.exact runs/bioasq-exact/exact runs/pubmedqa-exact/exact

writes `exact.json` beside this file and prints its table.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

from fas.stats.correlation import auroc_estimate

_WAYS = ("support", "FAS (evidence)", "P(support) - P(contradict)")


def measured(folder: Path) -> list[dict]:
    """A row for each type of question of a run, and one for all; areas with questions resampled."""
    found = defaultdict(list)
    for line in (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        read = [claim for claim in record["claims"] if claim["label"] != "unverified"]
        if not read:
            continue
        support = next(value for name, value in record.items() if name.startswith("support@"))
        soft = sum(claim["p_support"] - claim["p_contradict"] for claim in read) / len(read)
        entry = (record["meta"]["control"] == "right", record["question"], support, record["fas_evidence"], soft)
        found[record["meta"]["type"]].append(entry)
        found["all"].append(entry)
    signature = json.loads((folder / "report.json").read_text(encoding="utf-8"))["signature"]
    rows = []
    for kind, entries in sorted(found.items(), key=lambda item: item[0] == "all"):
        gold, questions = [float(entry[0]) for entry in entries], [entry[1] for entry in entries]
        for number, way in enumerate(_WAYS):
            area = auroc_estimate([entry[2 + number] for entry in entries], gold, clusters=questions)
            rows.append(
                {"type": kind, "by": way, "auroc": area.value, "low": area.low, "high": area.high, "n": len(entries)}
            )
    return [{"signature": signature, **row} for row in rows]


def main(folders: list[str]) -> None:
    """Measure the runs, store the rows, print the table."""
    results = {Path(folder).parent.name: measured(Path(folder)) for folder in folders}
    (Path(__file__).parent / "exact.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print("| run | type | by | AUROC | answers |\n|---|---|---|---|--:|")
    for run, rows in results.items():
        for row in rows:
            cell = f"{row['auroc']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
            print(f"| {run} | {row['type']} | {row['by']} | {cell} | {row['n']} |")


if __name__ == "__main__":
    main(sys.argv[1:])

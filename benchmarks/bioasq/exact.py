"""The control of short answers, from finished runs of `fas bench run NAME --answers exact`: by labels and by probabilities.

    python -m benchmarks.bioasq.exact runs/bioasq-exact/exact runs/pubmedqa-exact/exact

writes `exact.json` beside this file and the table of the page.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.tables import estimate, filled, table, write

from fas.results import read_records
from fas.stats.correlation import auroc_estimate

STORED = Path(__file__).with_name("exact.json")
_WAYS = ("support", "FAS (evidence)", "P(support) - P(contradict)")


def measured(folder: Path) -> list[dict]:
    """A row for each type of question of a run, and one for all; areas with questions resampled."""
    found = defaultdict(list)
    for _, own in read_records(folder / "scores.jsonl"):
        record: dict[str, Any] = {**own}
        read = [claim for claim in record["claims"] if claim["label"] != "unverified"]
        if not read:
            continue
        soft = sum(claim["p_support"] - claim["p_contradict"] for claim in read) / len(read)
        entry = (
            record["meta"]["control"] == "right",
            record["question"],
            record["support"],
            record["fas_evidence"],
            soft,
        )
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


def pages() -> dict[Path, str]:
    """The page with the table of the stored rows."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    rows = [
        (run, row["type"], row["by"], estimate(row["auroc"], row["low"], row["high"]), f"{row['n']:,}")
        for run, own in stored.items()
        for row in own
    ]
    signatures = "\n".join(f"- {run}: `{own[0]['signature']}`" for run, own in stored.items())
    made = table(("run", "type", "by", "AUROC", "answers"), rows, right=[4])
    return filled(STORED.with_name("README.md"), {"exact": f"{made}\n\n{signatures}"})


def main(folders: list[str]) -> None:
    """Measure the runs, store the rows, write the table."""
    results = {Path(folder).parent.name: measured(Path(folder)) for folder in folders}
    STORED.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main(sys.argv[1:])

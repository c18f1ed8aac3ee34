"""The 120 cases that somebody wrote by the specification alone: 60 that should be flagged, 60 near misses.

    python -m benchmarks.safety.blind            # prints the table; --errors also the cases that went wrong

A case is found if a counted flag has the wanted drug and the wanted name, or one of those that its author called as
right before any run (`also`); `POPULATION_RISK`, which the author did not know, counts where a contraindication is as
right. A near miss is wrong with any counted flag.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.safety.evaluate import NOT_COUNTED, PAIRS, wilson
from fas.records import Answer
from fas.safety.checker import SafetyChecker

CASES = Path(__file__).parent / "blind40.jsonl"
SAME = {
    "valproic acid": "valproate", "cholecalciferol": "vitamin d", "floxacillin": "flucloxacillin",
    "st. john's wort": "st. john's wort extract", "mycophenolic acid": "mycophenolate mofetil",
}  # fmt: skip


def drug(name: str) -> str:
    """One name for an ingredient that goes by several."""
    return SAME.get(name.lower(), name.lower())


def main() -> None:
    """Score the cases and print the table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--errors", action="store_true")
    options.add_argument("--file", type=Path, default=CASES, help="other cases in the same form")
    given = options.parse_args()
    show = given.errors
    checker = SafetyChecker()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])  # found, wanted, wrong, near misses
    for line in given.file.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        flags = checker.check([Answer(case["id"], case["prediction"], question=case["question"])])[0]
        counted = [f for f in flags if f.status not in NOT_COUNTED and f.severity != "info"]
        got = {(f.flag, drug(f.drug or "")) for f in counted}
        # A pair is one finding, whichever of its two drugs the author named.
        got |= {(f.flag, drug(f.target or "")) for f in counted if f.flag.startswith(PAIRS)}
        for key in (case["group"], *([case["kind"]] if "kind" in case else []), "all"):
            row = counts[key]
            if case["flags"]:
                wanted = case["flags"][0]
                names = {wanted["flag"], *case["also"]}
                names |= {"POPULATION_RISK"} if "CONTRAINDICATED" in names else set()
                found = any((name, drug(wanted["drug"])) in got for name in names)
                row[0] += found
                row[1] += 1
                wrong = not found
            else:
                row[2] += bool(got)
                row[3] += 1
                wrong = bool(got)
        if wrong and show:
            print(case["id"], case["flags"], sorted(got), case["prediction"][:100])
    print("| group | found of wanted | recall | wrong of near misses | precision |\n|---|--:|--:|--:|--:|")
    for key, (found, wanted, wrong, near) in sorted(counts.items(), key=lambda item: item[0] == "all"):
        low, high = wilson(found, wanted)
        precision = f"{found / (found + wrong):.2f}" if found + wrong else "none"
        print(
            f"| {key} | {found} of {wanted} | {found / wanted:.2f} [{low:.2f}, {high:.2f}] | {wrong} of {near} | {precision} |"
        )


if __name__ == "__main__":
    main()

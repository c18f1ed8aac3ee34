"""Cases that somebody wrote by the specification alone: half that should be flagged, half near misses.

    python -m benchmarks.safety.blind                      # prints the table; --errors also the cases that went wrong
    python -m benchmarks.safety.blind --file benchmarks/safety/blind42.jsonl --store
    python -m benchmarks.safety.page                       # the tables of README.md from what was stored

A case is found if a counted flag has the wanted drug and the wanted name, or one of those that its author called as
right before any run (`also`); `POPULATION_RISK`, which the author did not know, counts where a contraindication is as
right. A near miss is wrong with any counted flag. `--store` keeps the counts in `results/blind.json`, by cases and
rules; `--as LABEL` names the rules otherwise, for an engine of another commit.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.safety.evaluate import NOT_COUNTED, PAIRS, wilson
from fas.core.records import Answer
from fas.safety.checker import SafetyChecker
from fas.safety.rules import read_rules, rule_folder

HERE = Path(__file__).resolve().parent
CASES = HERE / "blind40.jsonl"
STORED = HERE / "results" / "blind.json"
SAME = {
    "valproic acid": "valproate", "cholecalciferol": "vitamin d", "floxacillin": "flucloxacillin",
    "insulin aspart": "insulin aspart, human", "st. john's wort": "st. john's wort extract", "mycophenolic acid": "mycophenolate mofetil",
}  # fmt: skip


def drug(name: str) -> str:
    """One name for an ingredient that goes by several."""
    return SAME.get(name.lower(), name.lower())


def count(path: Path, *, show: bool = False) -> dict[str, list[int]]:
    """Found, wanted, wrong and near misses of each group and kind, and of all.

    Args:
        path: The cases.
        show: Print those that went wrong.
    """
    checker = SafetyChecker()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for line in path.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        flags = checker.check([Answer(case["id"], case["prediction"], question=case["question"])])[0]
        counted = [f for f in flags if f.status not in NOT_COUNTED and f.severity != "info"]
        got = {(f.flag, drug(f.drug or "")) for f in counted}
        # A pair is one finding, whichever of its two drugs the author named.
        got |= {(f.flag, drug(f.target or "")) for f in counted if f.flag.startswith(PAIRS)}
        wanted = case["flags"][0] if case["flags"] else None
        if wanted is not None:
            names = {wanted["flag"], *case["also"]}
            names |= {"POPULATION_RISK"} if "CONTRAINDICATED" in names else set()
            wrong = not any((name, drug(wanted["drug"])) in got for name in names)
        else:
            wrong = bool(got)
        # Groups are those of the well-formed cases, where a file tells hinting ones and real answers apart.
        kind = case.get("kind", "well")
        for key in (case["group"], kind) if kind == "well" else (kind,):
            row = counts[key]
            row[0] += wanted is not None and not wrong
            row[1] += wanted is not None
            row[2] += wanted is None and wrong
            row[3] += wanted is None
        if wrong and show:
            print(case["id"], case["flags"], sorted(got), case["prediction"][:100])
    return dict(counts)


def table(counts: dict[str, list[int]]) -> str:
    """The counts with recall and its 95% interval, and precision."""
    lines = ["| group | found of wanted | recall | wrong of near misses | precision |\n|---|--:|--:|--:|--:|"]
    for key, (found, wanted, wrong, near) in counts.items():
        low, high = wilson(found, wanted)
        precision = f"{found / (found + wrong):.2f}" if found + wrong else "none"
        recall = f"{found / wanted:.2f} [{low:.2f}, {high:.2f}]" if wanted else "-"
        lines.append(f"| {key} | {found} of {wanted} | {recall} | {wrong} of {near} | {precision} |")
    return "\n".join(lines)


def store(cases: str, rules: str, counts: dict[str, list[int]], *, read: bool) -> None:
    """Keep the counts, in place of earlier ones of the same cases and rules."""
    held = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else []
    held = [run for run in held if (run["cases"], run["rules"]) != (cases, rules)]
    held.append({"cases": cases, "rules": rules, "read": read, "counts": counts})
    STORED.parent.mkdir(exist_ok=True)
    lines = ",\n".join(json.dumps(run) for run in sorted(held, key=lambda run: (run["cases"], run["rules"])))
    STORED.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def main() -> None:
    """Score the cases, print the table, and keep it if told so."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--errors", action="store_true", help="print the cases that went wrong")
    options.add_argument("--file", type=Path, default=CASES, help="other cases in the same form")
    options.add_argument("--store", action="store_true", help="keep the counts in results/blind.json")
    options.add_argument("--as", dest="label", help="what to call the rules; by default their version")
    options.add_argument("--read", action="store_true", help="the cases have been read while the rules were written")
    given = options.parse_args()
    counts = count(given.file, show=given.errors)
    print(table(counts))
    if given.store:
        store(given.file.stem, given.label or read_rules(rule_folder()).version, counts, read=given.read)


if __name__ == "__main__":
    main()

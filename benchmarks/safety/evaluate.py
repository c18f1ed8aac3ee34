"""Precision and recall of the safety flags on the annotated set, per flag, with intervals.

    python -m benchmarks.safety.evaluate                     # what rules were developed on
    python -m benchmarks.safety.evaluate --split heldout     # held out from the first version, read since then
    python -m benchmarks.safety.evaluate --split heldout2    # held out from the second, read since then
    python -m benchmarks.safety.evaluate --split heldout3    # by another author, read since then
    python -m benchmarks.safety.evaluate --split heldout4    # by another author, read since then
    python -m benchmarks.safety.evaluate --split heldout5    # by another author, read since then
    python -m benchmarks.safety.evaluate --split heldout6    # by another author, read since then
    python -m benchmarks.safety.evaluate --split heldout7    # by another author, held out from the seventh
    python -m benchmarks.safety.evaluate --split heldout8    # by another author, held out from the eighth; heldout9: the ninth

A flag is right if an annotated flag of the same answer has the same name and drug (for a pair:
the same two drugs). Annotators write names as they know them ("dabigatran", "senna"); they are read as the
vocabulary's ingredients. Only counted flags are compared; those with the status deferred_to_label,
continuation or weak are not. Intervals are Wilson's at 95%.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from fas.core.records import Answer, Flag
from fas.safety.checker import SafetyChecker
from fas.safety.matcher import DrugMatcher
from fas.safety.rules import read_rules, rule_folder
from fas.safety.text import normalise_text

HERE = Path(__file__).resolve().parent
# Kinds of flags that came after a set was annotated: it cannot judge them, and they are counted apart.
NEWER = frozenset({"INTERACTION", "POPULATION_RISK", "IMPLAUSIBLE_DOSE"})
SPLITS = ("dev", "heldout", "heldout2", "heldout3", "heldout4", "heldout5", "heldout6", "heldout7", "heldout8",
          "heldout9")  # fmt: skip
PAIRS = ("DRUG_PAIR", "INTERACTION")  # the flags whose target is a second drug
NOT_COUNTED = ("deferred_to_label", "continuation", "weak", "unread")


def wilson(hits: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Wilson's 95% interval of a share (Wilson, 1927); (nan, nan) for n = 0."""
    if n == 0:
        return math.nan, math.nan
    share = hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return middle - half, middle + half


@lru_cache(maxsize=1)
def _names() -> tuple[frozenset[str], DrugMatcher]:
    book = read_rules(rule_folder())
    return frozenset(book.vocabulary.ingredients), DrugMatcher(book.vocabulary, stop=book.stop)


def ingredient(name: str) -> str:
    """The vocabulary's name of a drug; *name* itself if it is none that is known."""
    known, matcher = _names()
    if name in known:
        return name
    found = matcher.find(normalise_text(name))
    return found[0].lead if found else name


def expected(flags: Iterable[dict[str, str]]) -> Counter[tuple[str, frozenset[str]]]:
    """What the annotation asks for, as comparable keys."""
    return Counter(
        (
            flag["flag"],
            frozenset((ingredient(flag["drug"]), ingredient(flag["target"])))
            if flag["flag"].startswith(PAIRS)
            else frozenset((ingredient(flag["drug"]),)),
        )
        for flag in flags
        if flag.get("status") not in NOT_COUNTED
    )


def raised(flags: Iterable[Flag]) -> Counter[tuple[str, frozenset[str]]]:
    """What the checker raised, each name and drug once."""
    found: Counter[tuple[str, frozenset[str]]] = Counter()
    for flag in flags:
        if flag.status in NOT_COUNTED or flag.severity == "info":
            continue
        drugs = (flag.drug or "", flag.target or "") if flag.flag.startswith(PAIRS) else (flag.drug or "",)
        found[flag.flag, frozenset(drugs)] = 1
    return found


def store() -> None:
    """Keep right, wrong and missed of every part in `results/annotated.json`; kinds newer than the set are left out."""
    rows = [json.loads(line) for line in (HERE / "annotated.jsonl").read_text(encoding="utf-8").splitlines()]
    parts = {split: [0, 0, 0] for split in SPLITS}
    newer: Counter[str] = Counter()
    checker = SafetyChecker()
    for at in range(0, len(rows), 128):
        chunk = rows[at : at + 128]
        answers = [Answer(id=row["id"], prediction=row["prediction"], question=row["question"]) for row in chunk]
        for row, flags in zip(chunk, checker.check(answers), strict=True):
            want, got = expected(row["flags"]), raised(flags)
            for key in [key for key in got if key[0] in NEWER]:
                newer[key[0]] += got.pop(key)
            for n, found in enumerate((got & want, got - want, want - got)):
                parts[row["split"]][n] += found.total()
    stored = {"rules": read_rules(rule_folder()).version, "parts": parts, "newer": dict(sorted(newer.items()))}
    (HERE / "results" / "annotated.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    for n, name in enumerate(("right", "wrong", "missed")):
        print(name, sum(part[n] for part in parts.values()))


def main() -> None:
    """Check the chosen half and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=SPLITS, default="dev", help="which part of the set")
    parser.add_argument("--file", type=Path, help="another annotated file, all of it, in the form of annotated.jsonl")
    parser.add_argument("--errors", action="store_true", help="print every answer that was judged wrongly")
    parser.add_argument("--store", action="store_true", help="count every part, for the page (4 minutes)")
    options = parser.parse_args()
    if options.store:
        store()
        return
    split = str(options.file.name) if options.file else options.split
    source = options.file or HERE / "annotated.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    rows = rows if options.file else [row for row in rows if row["split"] == split]
    answers = [Answer(id=row["id"], prediction=row["prediction"], question=row["question"]) for row in rows]
    right: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    newer: Counter[str] = Counter()
    clean = clean_kept = 0
    for row, flags in zip(rows, SafetyChecker().check(answers), strict=True):
        want, got = expected(row["flags"]), raised(flags)
        for key in [key for key in got if key[0] in NEWER and not options.file]:
            newer[key[0]] += got.pop(key)
            if options.errors:
                print(f"{row['id']}: not annotated: {key[0]} {' + '.join(sorted(key[1]))}")
        for key in got & want:
            right[key[0]] += 1
        for key in got - want:
            wrong[key[0]] += 1
        for key in want - got:
            missed[key[0]] += 1
        if not want:
            clean += 1
            clean_kept += not got
        if options.errors and want != got:
            print(f"{row['id']} ({row.get('group', '-')}): {row['question']} -> {row['prediction']!r}")
            for sign, keys in (("missed", want - got), ("wrong", got - want)):
                for name, drugs in keys:
                    print(f"    {sign}: {name} {' + '.join(sorted(drugs))}")
    print(f"{split}: {len(rows)} answers, {clean} of them without a flag, {clean_kept} of those kept clean")
    if newer:
        print(
            f"not annotated in this part, not judged: {', '.join(f'{name} {n}' for name, n in sorted(newer.items()))}"
        )
    print("| flag | right | wrong | missed | precision | recall |\n|---|--:|--:|--:|---|---|")
    for name in [*sorted({*right, *wrong, *missed}), "all"]:
        tp = right[name] if name != "all" else sum(right.values())
        fp = wrong[name] if name != "all" else sum(wrong.values())
        fn = missed[name] if name != "all" else sum(missed.values())
        print(f"| {name} | {tp} | {fp} | {fn} | {_share(tp, tp + fp)} | {_share(tp, tp + fn)} |")


def _share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return "-" if n == 0 else f"{hits / n:.3f} ({low:.3f}-{high:.3f})"


if __name__ == "__main__":
    main()

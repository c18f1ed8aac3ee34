"""Would a learned head read directives better than the rules of `fas.safety`?

    python -m benchmarks.reading.heads train --data DATA --out HEAD.npz       # half an hour; without --data ten minutes
    python -m benchmarks.reading.heads evaluate HEAD.npz --file CASES.jsonl   # rules, and the head in four ways, once each

`train` fits the head of `benchmarks.reading.directive_heads` to what the rules read of the annotated answers whose flags
are as labelled, and of stored model answers (at half the weight). `evaluate` raises the flags of a labelled file with
the rules alone and with the head: in their place (`replace`), to find advice where they find none (`add`), to take
advice away (`veto`), and both. Files in the form of `benchmarks/safety/blind41.jsonl` are scored as
`benchmarks.safety.blind` does (a case is found or not, a near miss is wrong with any counted flag), others as
`benchmarks.safety.evaluate` does. Rows with a `kind` are also shown by kind. The thresholds were chosen on the parts
of the annotated set written after the engine of the trial (README.md), before any new set was seen.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reading.directive_heads import (
    Array,
    Head,
    Mentioned,
    added,
    features,
    label,
    reading_by,
    replaced,
    vetoed,
)
from benchmarks.safety.blind import drug
from benchmarks.safety.evaluate import NEWER, NOT_COUNTED, expected, raised
from fas.records import Answer, Flag
from fas.safety.checker import SafetyChecker
from fas.safety.directive import Directive

ANNOTATED = Path(__file__).parent.parent / "safety" / "annotated.jsonl"
ADD, VETO = 0.8, 0.1
SILVER_WEIGHT = 0.5
Row = dict[str, Any]
Score = tuple[int, int, int]
"""Right, raised, wanted."""


def uses() -> dict[str, Callable[[Directive, Array], Directive]]:
    """How the head may enter."""
    add, veto = partial(added, least=ADD), partial(vetoed, least=VETO)
    return {
        "rules": lambda directive, _: directive,
        "replace": replaced,
        "add": add,
        "veto": veto,
        "add and veto": lambda directive, p: veto(add(directive, p), p),
    }


def rows_of(path: Path) -> list[Row]:
    """A labelled file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def stored(data: Path, n: int, seed: int) -> list[Row]:
    """So many stored model answers, drawn at random."""
    rows = []
    for path in sorted((data / "eval" / "medlfqa" / "predictions").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    chosen = random.Random(seed).sample(rows, min(n, len(rows)))
    return [{"id": f"s{i}", "question": row["question"], "prediction": row["answer"]} for i, row in enumerate(chosen)]


def flags_of(checker: SafetyChecker, row: Row) -> tuple[Flag, ...]:
    """The flags of one answer."""
    return checker.check([Answer(str(row["id"]), row["prediction"], question=row["question"] or "")])[0]


def watched(rows: Sequence[Row]) -> tuple[list[list[tuple[Mentioned, int]]], list[tuple[Flag, ...]]]:
    """For each answer the drugs with what the rules read of them, and its flags."""
    checker = SafetyChecker()
    seen: list[list[tuple[Mentioned, int]]] = []

    def note(item: Mentioned, directive: Directive) -> Directive:
        seen[-1].append((item, label(directive)))
        return directive

    flags = []
    with reading_by(note):
        for row in rows:
            seen.append([])
            flags.append(flags_of(checker, row))
    return seen, flags


def score(row: Row, flags: Sequence[Flag]) -> Score:
    """Right, raised and wanted of one answer."""
    if "also" not in row:
        want = expected(row["flags"])
        got = [key for key in raised(flags) if key[0] not in NEWER or any(key[0] == wanted[0] for wanted in want)]
        return sum(key in want for key in got), len(got), sum(want.values())
    got_names = {(f.flag, drug(f.drug or "")) for f in flags if f.status not in NOT_COUNTED and f.severity != "info"}
    if not row["flags"]:
        return 0, int(bool(got_names)), 0
    right = 0
    for wanted in row["flags"]:
        names = {wanted["flag"], *row["also"]} | (
            {"POPULATION_RISK"} if "CONTRAINDICATED" in {wanted["flag"], *row["also"]} else set()
        )
        right += any((name, drug(wanted["drug"])) in got_names for name in names)
    return right, right, len(row["flags"])


def f1(scores: Sequence[Score]) -> float:
    """F1 over answers; 1 where nothing is wanted and nothing raised."""
    right, got, want = (sum(column) for column in zip(*scores, strict=True))
    return 2 * right / (got + want) if got + want else 1.0


def difference(a: Sequence[Score], b: Sequence[Score], *, n: int = 2000, seed: int = 12345) -> tuple[float, float]:
    """The 95% interval of F1 of *b* less that of *a*, answers resampled in pairs."""
    rng = np.random.default_rng(seed)
    x, y = np.array(a), np.array(b)
    picks = rng.integers(0, len(x), (n, len(x)))
    sums = [part[picks].sum(1) for part in (x, y)]
    values = [2 * s[:, 0] / np.maximum(s[:, 1] + s[:, 2], 1) for s in sums]
    low, high = np.percentile(values[1] - values[0], (2.5, 97.5))
    return float(low), float(high)


def train(out: Path, data: Path | None, n_stored: int, seed: int) -> Head:
    """Fit the head and store it."""
    rows = rows_of(ANNOTATED)
    seen, flags = watched(rows)
    pairs = []
    for row, drugs, found in zip(rows, seen, flags, strict=True):
        right, got, want = score(row, found)
        if right == got == want:
            pairs += [(item, y, 1.0) for item, y in drugs]
    if data:
        pairs += [(item, y, SILVER_WEIGHT) for drugs in watched(stored(data, n_stored, seed))[0] for item, y in drugs]
    unique = {item: (y, weight) for item, y, weight in reversed(pairs)}  # what is annotated wins
    items = list(unique)
    head = Head.fit(
        features(items),
        np.array([unique[item][0] for item in items]),
        np.array([unique[item][1] for item in items], np.float32),
    )
    head.save(out)
    print(f"{len(items)} drugs in sentences; {out}: {out.stat().st_size} bytes")
    return head


def evaluate(head: Head, rows: Sequence[Row]) -> dict[str, list[Score]]:
    """The score of every answer, for each way of using the head."""
    seen, _ = watched(rows)
    items = list({item for drugs in seen for item, _ in drugs})
    p = dict(zip(items, head.probabilities(features(items)), strict=True))
    checker = SafetyChecker()
    found: dict[str, list[Score]] = {}
    for name, use in uses().items():
        with reading_by(lambda item, directive, use=use: use(directive, p[item])):  # type: ignore[misc]
            found[name] = [score(row, flags_of(checker, row)) for row in rows]
    return found


def table(found: dict[str, list[Score]], rows: Sequence[Row]) -> str:
    """Precision, recall and F1, all answers and by kind, with the difference from the rules."""
    kinds = sorted({str(row["kind"]) for row in rows if row.get("kind")})
    lines = [
        "| answers | reader | right / raised / wanted | precision | recall | F1 | less the rules' (95%) |",
        "|---|---|---|--:|--:|--:|---|",
    ]
    for kind in ["all", *(kinds if 1 < len(kinds) <= 10 else [])]:
        at = [i for i, row in enumerate(rows) if kind in ("all", str(row.get("kind")))]
        base = [found["rules"][i] for i in at]
        for name, scores in found.items():
            mine = [scores[i] for i in at]
            right, got, want = (sum(column) for column in zip(*mine, strict=True))
            low, high = difference(base, mine)
            lines.append(
                f"| {kind} ({len(at)}) | {name} | {right} / {got} / {want} | {right / got if got else 0:.3f} | "
                f"{right / want if want else 0:.3f} | {f1(mine):.3f} | "
                + ("" if name == "rules" else f"{f1(mine) - f1(base):+.3f} [{low:+.3f}, {high:+.3f}]")
                + " |"
            )
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """Train or evaluate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    fitting = commands.add_parser("train", help="fit the head")
    fitting.add_argument("--data", type=Path, help="folder of the data, for silver labels")
    fitting.add_argument("--stored", type=int, default=3000, help="stored answers drawn for silver labels (3000)")
    fitting.add_argument("--seed", type=int, default=34)
    fitting.add_argument("--out", type=Path, required=True, help="where the head goes")
    judging = commands.add_parser("evaluate", help="rules and head on a labelled file")
    judging.add_argument("head", type=Path)
    judging.add_argument("--file", type=Path, required=True)
    options = parser.parse_args(argv)
    if options.command == "train":
        train(options.out, options.data, options.stored, options.seed)
        return
    rows = rows_of(options.file)
    print(table(evaluate(Head.load(options.head), rows), rows))


if __name__ == "__main__":
    main()

"""The tables of README.md from the stored results.

    python -m benchmarks.safety.page

`fit` stores `folds.json`, `evaluate` adds a run to `gate.json`, and readers fill `real_flags_read.jsonl`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from benchmarks.safety.cases import GATE, HERE, read_rows
from benchmarks.tables import filled, table, write

RESULTS = HERE / "results"


def pages() -> dict[Path, str]:
    """The page with its tables made anew."""
    folds, runs = (json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8")) for name in ("folds", "gate"))
    made = {"folds": _write_counts(folds), "gate": _write_gate(runs), "readings": _write_readings()}
    return filled(HERE / "README.md", made)


def show_share(hits: int, n: int) -> str:
    """A share with Wilson's 95% interval."""
    if not n:
        return "none"
    ends = binomtest(hits, n).proportion_ci(method="wilson")
    return f"{hits / n:.2f} [{ends.low:.2f}, {ends.high:.2f}]"


def _write_row(name: str, own: Mapping[str, int]) -> list[object]:
    right, missed, wrong = (own.get(key, 0) for key in ("right", "missed", "wrong"))
    return [name, right, missed, wrong, show_share(right, right + wrong), show_share(right, right + missed)]


def _write_counts(stored: Mapping[str, Mapping[str, int]]) -> str:
    titles = ("set, and flag", "right", "missed", "wrong", "precision", "recall")
    return table(titles, [_write_row(name, own) for name, own in stored.items()], right=(1, 2, 3))


def _write_gate(runs: list[dict[str, Any]]) -> str:
    titles = ("run, and flag of the last", "right", "missed", "wrong", "precision", "recall")
    rows = [_write_row(run["engine"], run["counts"][GATE]) for run in runs]
    last = {name.split()[1]: own for name, own in runs[-1]["counts"].items() if " " in name}
    return table(titles, rows + [_write_row(f"`{name}`", own) for name, own in sorted(last.items())], right=(1, 2, 3))


def _write_readings() -> str:
    """How many flags on real answers were right, by reading and kind; those in doubt count as wrong."""
    counts: dict[str, dict[str, Counter[bool | None]]] = {}
    for row in read_rows(RESULTS / "real_flags_read.jsonl"):
        counts.setdefault(row["reading"], {}).setdefault(row["flag"], Counter())[row["right"]] += 1
    rows = []
    for reading, by_flag in counts.items():
        both: Counter[bool | None] = sum(by_flag.values(), Counter())
        for name, own in [(reading, both), *((f"`{name}`", own) for name, own in sorted(by_flag.items()))]:
            rows.append([name, own.total(), own[True], own[None], show_share(own[True], own.total())])
    return table(("reading, and flag", "counted flags", "right", "in doubt", "share right"), rows, right=(1, 2, 3))


def main() -> None:
    """Write the page."""
    write(pages())


if __name__ == "__main__":
    main()

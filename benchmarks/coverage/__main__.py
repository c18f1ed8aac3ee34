"""How often the printed intervals hold the truth and the tests call equal things different, by simulation.

    python -m benchmarks.coverage            simulate, write coverage.json and README.md
    python -m benchmarks.coverage --page     the page alone, from what is stored
    python -m benchmarks.coverage --samples 100     fewer samples, printed and not stored

Seeds are fixed; one idle core needs about two minutes.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

from benchmarks.coverage import simulate
from benchmarks.coverage.page import STORED, pages
from benchmarks.coverage.simulate import Cell, cells
from benchmarks.tables import write


def row_of(cell: Cell) -> dict[str, Any]:
    """The numbers of a cell: coverage of the intervals, and rejections where there is no effect."""
    given = [one for one in cell.found if not math.isnan(one.low)]
    held = sum(one.low - 1e-9 <= cell.truth <= one.high + 1e-9 for one in given)
    values = [getattr(one, "value", getattr(one, "mean", getattr(one, "difference", math.nan))) for one in given]
    p = [one.p for one in cell.found] if hasattr(cell.found[0], "p") else []
    enough = len(given) >= len(cell.found) / 20
    return {
        "figure": cell.figure,
        "data": cell.data,
        "n": cell.n,
        "samples": len(cell.found),
        "given": len(given) / len(cell.found),
        "coverage": held / len(given) if enough else None,
        "rejected": sum(one <= 0.05 for one in p) / len(p) if p and cell.truth == 0 else None,
        "contradict": sum((one.low <= 0 <= one.high) == (one.p <= 0.05) for one in given) if p else 0,
        "excludes_estimate": sum(v < one.low or v > one.high for one, v in zip(given, values, strict=True)),
        "kinds": sorted({one.how for one in given}),
    }


def main() -> None:
    """Simulate unless the page alone is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true", help="make the page anew from the stored result")
    parser.add_argument(
        "--samples", type=int, metavar="N", help="samples of a mean or difference (of 1,000); else 0.4 N"
    )
    options = parser.parse_args()
    if options.samples:
        simulate.MANY, simulate.SOME = options.samples, max(1, 2 * options.samples // 5)
    if not options.page:
        rows = []
        for cell in cells():
            rows.append(row_of(cell))
            print(json.dumps(rows[-1]), flush=True)
        if options.samples:
            return
        STORED.write_text("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n", encoding="utf-8")
    write(pages())


if __name__ == "__main__":
    main()

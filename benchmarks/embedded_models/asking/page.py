"""The tables of `../README.md` on sentences that ask, from `result.json` and `measured.json`.

python -m benchmarks.embedded_models.asking.page
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import NONE, filled, table, write

from fas.text.asking import THRESHOLD

HERE = Path(__file__).parent
PAGE = HERE.parent / "README.md"


def told(result: dict[str, Any]) -> str:
    """How many asking sentences are found, by penalty and threshold."""
    asks, states = result["sentences"]["dev"]
    rows = [
        (penalty, own["phrases"], *(f"{found:.3f}, {taken:.4f}" for found, taken in own["rates"].values()))
        for penalty, own in result["penalties"].items()
    ]
    titles = ("penalty", "phrases", *(f"at {t}" for t in next(iter(result["penalties"].values()))["rates"]))
    head = f"{asks:,} sentences that ask and {states:,} others, none of which trained: the share of the former that is found, of the latter that is taken for one. Used: 0.1, {THRESHOLD}."
    return f"{head}\n\n{table(titles, rows, right=range(len(titles)))}"


def verdicts(measured: dict[str, Any]) -> str:
    """Both verifiers with such sentences and without."""
    rows = []
    for model, sets in measured.items():
        for name, own in sets.items():
            right = own.get("right")
            rows.append(
                (
                    model,
                    name,
                    own["n"],
                    f"{own['asking']} of {own['sentences']}",
                    _both(own["definite"]),
                    _interval(own["definite"]),
                    NONE if right is None else _both(right),
                    NONE if right is None else _interval(right),
                )
            )
    titles = ("model", "set", "pairs", "sentences that ask", "definite: read, left out", "difference", "right: read, left out", "difference")
    return table(titles, rows, right=(2,))


def _both(own: dict[str, Any]) -> str:
    return f"{own['read']:.3f}, {own['left out']:.3f}"


def _interval(own: dict[str, Any]) -> str:
    value, low, high = own["difference"]
    return f"{value:+.3f} [{low:+.3f}, {high:+.3f}]"


def pages() -> dict[Path, str]:
    """The page with its tables made anew from what is stored."""
    result, measured = (json.loads((HERE / name).read_text(encoding="utf-8")) for name in ("result.json", "measured.json"))
    return filled(PAGE, {"asking": f"{told(result)}\n\n{verdicts(measured)}"})


if __name__ == "__main__":
    write(pages())

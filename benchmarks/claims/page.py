"""The tables of README.md from the stored results.

    python -m benchmarks.claims.page

`coverage.py --out benchmarks/claims/results.json` and `quality.py --out benchmarks/claims/quality.json` store them.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
SECTIONS = ("coverage", "faults", "quality")
_FAULTS = {
    "unverifiable": "unverifiable",
    "hallucinated": "hallucinated (words from nowhere)",
    "incomplete": "incomplete",
    "misstructured": "incorrectly structured",
    "context_dependent": "context-dependent",
    "redundant": "redundant",
}
_COVERED = {
    "statements_must": "must-have covered",
    "statements_all": "all statements covered",
    "claims": "claims covered",
}


def marks(section: str) -> tuple[str, str]:
    """What stands around a table that is made."""
    return f"<!-- {section}: begin (written by page.py) -->", f"<!-- {section}: end -->"


def tables() -> dict[str, str]:
    """The text between the marks of every section."""
    kqa = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    judged = json.loads((HERE / "quality.json").read_text(encoding="utf-8"))
    return {"coverage": _coverage(kqa), "faults": _faults(kqa), "quality": _quality(judged)}


def page(text: str) -> str:
    """The page with its tables made anew."""
    for section, made in tables().items():
        begin, end = marks(section)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}\n\n{made}\n\n{end}{after}"
    return text


def _coverage(stored: dict[str, Any]) -> str:
    found = stored["results"]
    lines = ["| share | clauses | sentences | difference |", "|---|---|---|---|"]
    for kind, shown in _COVERED.items():
        for r in ("0.6", "0.7", "0.8"):
            lines.append(_row(f"{shown}, r={r} c=0.7", [found[f"{m}/{kind}/r{r}/c0.7"] for m in _THREE]))
    for key in ("claims_per_answer", "words_per_claim"):
        lines.append(_row(key.replace("_", " "), [found[f"{m}/{key}"] for m in _THREE]))
    return "\n".join([f"`{stored['parser']}`", "", *lines])


def _faults(stored: dict[str, Any]) -> str:
    found = stored["results"]
    lines = ["| kind | clauses | sentences |", "|---|---|---|"]
    names = {f"fault/{key}": shown for key, shown in _FAULTS.items()}
    names |= {"without_fault": "none of these", "omitted_per_answer": "omitted statements per answer"}
    for key, shown in names.items():
        lines.append(_row(shown, [found[f"{m}/{key}"] for m in _THREE[:2]]))
    return "\n".join(lines)


def _quality(stored: dict[str, Any]) -> str:
    methods = stored["methods"]
    lines = [f"| measure | {' | '.join(methods)} |", "|---|" + "---|" * len(methods)]
    for name in next(iter(methods.values()))["metrics"]:
        lines.append(_row(name, [one["metrics"].get(name) for one in methods.values()]))
    about = ", ".join(f"{label}: `{one['signature']}`" for label, one in methods.items())
    return "\n".join([f"{stored['answers']}; entailment: `{stored['entailment']}`; {about}", "", *lines])


_THREE = ("clauses", "sentences", "difference")


def _row(name: str, values: list[dict[str, Any] | None]) -> str:
    return f"| {name} | {' | '.join(map(_cell, values))} |"


def _cell(value: dict[str, Any] | None) -> str:
    if value is None:
        return "–"
    low, high = value["low"], value["high"]
    if low is None or high is None or math.isnan(low):
        return f"{value['mean']:.3f}"
    return f"{value['mean']:.3f} [{low:.3f}, {high:.3f}]"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()

"""The tables of README.md from the stored results.

    python -m benchmarks.claims.page

`coverage.py --out benchmarks/claims/results.json` and `quality.py --out benchmarks/claims/quality.json` store them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import estimate, filled, table, write

HERE = Path(__file__).parent
PAGE = HERE / "README.md"
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


_THREE = ("clauses", "sentences", "difference")


def tables() -> dict[str, str]:
    """The text between the marks of every section."""
    kqa = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    judged = json.loads((HERE / "quality.json").read_text(encoding="utf-8"))
    return {"coverage": _coverage(kqa), "faults": _faults(kqa), "quality": _quality(judged)}


def pages() -> dict[Path, str]:
    """The page with its tables made anew."""
    return filled(PAGE, tables())


def _coverage(stored: dict[str, Any]) -> str:
    found = stored["results"]
    rows = []
    for kind, shown in _COVERED.items():
        for r in ("0.6", "0.7", "0.8"):
            rows.append(_cells(f"{shown}, r={r} c=0.7", [found[f"{m}/{kind}/r{r}/c0.7"] for m in _THREE]))
    for key in ("claims_per_answer", "words_per_claim"):
        rows.append(_cells(key.replace("_", " "), [found[f"{m}/{key}"] for m in _THREE]))
    return f"`{stored['parser']}`\n\n{table(('share', *_THREE), rows)}"


def _faults(stored: dict[str, Any]) -> str:
    found = stored["results"]
    names = {f"fault/{key}": shown for key, shown in _FAULTS.items()}
    names |= {"without_fault": "none of these", "omitted_per_answer": "omitted statements per answer"}
    rows = [_cells(shown, [found[f"{m}/{key}"] for m in _THREE[:2]]) for key, shown in names.items()]
    return table(("kind", *_THREE[:2]), rows)


def _quality(stored: dict[str, Any]) -> str:
    methods = stored["methods"]
    names = next(iter(methods.values()))["metrics"]
    rows = [_cells(name, [one["metrics"].get(name) for one in methods.values()]) for name in names]
    about = ", ".join(f"{label}: `{one['signature']}`" for label, one in methods.items())
    return f"{stored['answers']}; entailment: `{stored['entailment']}`; {about}\n\n{table(('measure', *methods), rows)}"


def _cells(name: str, values: list[dict[str, Any] | None]) -> list[str]:
    found = [{"mean": None, "low": None, "high": None} if value is None else value for value in values]
    return [name, *(estimate(value["mean"], value["low"], value["high"]) for value in found)]


def main() -> None:
    """Write the page."""
    write(pages())


if __name__ == "__main__":
    main()

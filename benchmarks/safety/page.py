"""The tables of README.md from the stored results.

    python -m benchmarks.safety.page

`blind.py --store` keeps what was found of each file of cases, `evaluate.py --store` what is right today on the
annotated set, `read40.jsonl` holds what a reader said of flags on real answers; `results/history.json` holds the counts
of runs whose engine is gone. Shares and intervals are computed here.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.safety.evaluate import SPLITS, wilson
from benchmarks.tables import filled, write

HERE = Path(__file__).resolve().parent
PAGE = HERE / "README.md"
RESULTS = HERE / "results"
VERDICTS = HERE / "read40.jsonl"


def _read(name: str) -> Any:
    return json.loads((RESULTS / name).read_text(encoding="utf-8"))


def tables() -> dict[str, str]:
    """The text between the marks of every section."""
    runs = _read("blind.json")
    past = _read("history.json")
    made = {cases: _beside(runs, cases) for cases in sorted({run["cases"] for run in runs})}
    return made | {
        "verdicts": verdicts(),
        "folds": _folds(_read("folds.json")),
        "parts": _parts(past["parts"], _read("annotated.json")),
        "development": _development(past["development"]),
        "models": _models(past["models"]),
        "readings": _readings(past["readings"]),
    }


def pages() -> dict[Path, str]:
    """The page with its tables made anew."""
    return filled(PAGE, tables())


def share(hits: int, n: int, digits: int = 2) -> str:
    """A share with Wilson's 95% interval."""
    if not n:
        return "none"
    low, high = wilson(hits, n)
    return f"{hits / n:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def _beside(runs: list[dict[str, Any]], cases: str) -> str:
    """The runs of one file of cases beside each other, the oldest rules first; groups are of well-formed cases."""
    own = sorted((run for run in runs if run["cases"] == cases), key=lambda run: str(run["rules"]))
    groups = list(dict.fromkeys(group for run in own for group in run["counts"]))
    kinds = [group for group in groups if group in ("well", "hint", "real")]
    order = [*sorted(set(groups) - set(kinds)), *kinds]
    shown = {"well": "**well-formed**", "hint": "hinting", "real": "real answers"}
    heads = [f"{run['rules']}{', cases read' if run['read'] else ''}" for run in own]
    lines = [
        "| group | " + " | ".join(f"{head}: found | recall | wrong | precision" for head in heads) + " |",
        "|---|" + "--:|---|--:|--:|" * len(own),
    ]
    for group in order:
        cells = [shown.get(group, group)]
        for run in own:
            found, wanted, wrong, near = run["counts"].get(group, (0, 0, 0, 0))
            raised = found + wrong
            precision = f"{found / raised:.2f}" if raised else "none"
            cells += [f"{found} of {wanted}", share(found, wanted), f"{wrong} of {near}", precision]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def verdicts() -> str:
    """How many flags of each part of real answers were right, by who read them."""
    rows = [json.loads(line) for line in VERDICTS.read_text(encoding="utf-8").splitlines()]
    lines = [
        "| answers | rules | counted flags | right and useful | right | wrong | right and useful, share (95%) |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for part in dict.fromkeys((row["part"], row["rules"]) for row in rows):
        flags = [row for row in rows if (row["part"], row["rules"]) == part and row["verdict"]]
        counts = Counter(row["verdict"] for row in flags)
        said = share(counts["useful"], len(flags)) if flags else "none raised"
        lines.append(
            f"| {' | '.join(map(str, (*part, len(flags), counts['useful'], counts['right'], counts['wrong'], said)))} |"
        )
    return "\n".join(lines)


def _parts(first: dict[str, list[int]], today: dict[str, Any]) -> str:
    """Each part when it was added, and today; right, raised and wanted flags."""
    lines = [
        "| part | first run: right / raised / wanted | precision | recall | today, as read | precision | recall |",
        "|---|---|---|---|---|--:|--:|",
    ]
    for part in SPLITS:
        right, wrong, missed = today["parts"][part]
        cells = [f"`{part}`"]
        if part in first:
            hits, raised, wanted = first[part]
            cells += [f"{hits} / {raised} / {wanted}", share(hits, raised, 3), share(hits, wanted, 3)]
        else:
            cells += ["–", "–", "–"]
        cells += [
            f"{right} / {right + wrong} / {right + missed}", f"{right / (right + wrong):.3f}",
            f"{right / (right + missed):.3f}",
        ]  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _folds(stored: dict[str, dict[str, int]]) -> str:
    """What is found of each set by weights that were fitted without the case."""
    lines = ["| set, and flag | right | missed | wrong | precision | recall |\n|---|--:|--:|--:|---|---|"]
    for name, own in stored.items():
        right, missed, wrong = (own.get(key, 0) for key in ("right", "missed", "wrong"))
        lines.append(
            f"| {name} | {right} | {missed} | {wrong} | {share(right, right + wrong)} | {share(right, right + missed)} |"
        )
    return "\n".join(lines)


def _development(rows: list[dict[str, Any]]) -> str:
    lines = ["| batch | before repairs | precision | after, rules 2026.11.25 | precision |", "|---|--:|--:|--:|--:|"]
    for row in rows:
        found, wanted, wrong = row["before"]
        after, _, still = row["after"]
        lines.append(
            f"| {row['name']} | {found} of {wanted} ({share(found, wanted)}) | {found / (found + wrong):.2f} | "
            f"{after} of {wanted} | {after / (after + still):.2f} |"
        )
    return "\n".join(lines)


def _models(rows: list[dict[str, Any]]) -> str:
    lines = [
        "| model or source of the question | answers | with a flag, share (95%) | answers by flag |",
        "|---|--:|---|---|",
    ]
    for row in rows:
        flags = "; ".join(f"{name} {n}" for name, n in row["flags"].items())
        lines.append(f"| {row['name']} | {row['answers']} | {share(row['with_flag'], row['answers'], 4)} | {flags} |")
    return "\n".join(lines)


def _readings(rows: list[dict[str, Any]]) -> str:
    lines = ["| engine | answers | flags read | right | share (95%) |", "|---|--:|--:|--:|---|"]
    for row in rows:
        cells = (row["engine"], f"{row['answers']:,}", row["read"], row["right"], share(row["right"], row["read"]))
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main() -> None:
    """Write the page."""
    write(pages())


if __name__ == "__main__":
    main()

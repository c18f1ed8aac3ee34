"""What policies that game scores earn from each reward, beside honest answers to real questions.

python -m benchmarks.rewards.measure bioasq --part develop -n 10   # shown; used to design the reward
python -m benchmarks.rewards.measure bioasq --part test --store    # stored, and the page written
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from benchmarks.rewards import sets
from benchmarks.stored import about
from benchmarks.tables import filled, table, write
from fas.bench.files import data_folder
from fas.integrations.training.attack import attack

HERE = Path(__file__).parent
STORED = HERE / "results.json"
SETS = {"bioasq": sets.bioasq, "kqa": sets.kqa}
TITLES = {
    "bioasq": "BioASQ's yes/no questions; honest: GPT-4 with retrieved snippets, where it decided as the experts did",
    "kqa": "K-QA's patients' questions; honest: the model's answer that says most of the physicians' statements",
}


def pages() -> dict[Path, str]:
    """The page with the tables of the stored results."""
    found = json.loads(STORED.read_text(encoding="utf-8"))
    return filled(
        HERE / "README.md", {"results": "\n\n".join(_part(name, found[name]) for name in SETS if name in found)}
    )


def _part(name: str, found: dict[str, Any]) -> str:
    rewards = list(found["beaten"])
    cells: dict[str, list[str]] = {}
    for one in found["outcomes"]:
        shown = "–" if one["mean"] is None else f"{one['mean']:.2f}"
        cells.setdefault(one["policy"], []).append(f"**{shown}**" if one["beats"] else shown)
    rows = [[policy, *values] for policy, values in cells.items()]
    beaten = [[reward, len(names), ", ".join(names) or "none"] for reward, names in found["beaten"].items()]
    return "\n\n".join(
        [
            f"### {TITLES[name]}",
            f"{found['n']} questions. {found['date']}, {found['machine']}; `{found['signature']}`",
            table(["policy", *rewards], rows, right=range(1, len(rewards) + 1)),
            table(["reward", "beaten by", "policies"], beaten, right=[1]),
        ]
    )


def main() -> None:
    """Attack the rewards on a part of a set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--part", choices=("develop", "test"), default="test")
    parser.add_argument("-n", type=int, default=15, help="questions")
    parser.add_argument("--data", type=Path, help="folder of the data sets (FAS_DATA_DIR)")
    parser.add_argument("--store", action="store_true", help="store the result and write the page")
    options = parser.parse_args()
    rows = sets.drawn(SETS[options.set](data_folder(options.data)), options.part, options.n)
    found = attack(rows)
    print(found.as_text())
    if options.store:
        if options.part != "test":
            parser.error("only results on the part `test` are stored")
        stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.is_file() else {}
        stored[options.set] = {**about(), **found.as_dict()}
        text = json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
        STORED.write_text(text, encoding="utf-8")
        write(pages())


if __name__ == "__main__":
    main()

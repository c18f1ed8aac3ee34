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
from fas.integrations.training.policies import HONEST

HERE = Path(__file__).parent
STORED = HERE / "results.json"
EARNED = HERE / "earned.json"
"""Reward by set, reward, policy and question, for `benchmarks.rewards.train`."""
SETS = {"bioasq": sets.bioasq, "kqa": sets.kqa}
TRAINING = HERE / "training.json"
TITLES = {
    "bioasq": "BioASQ's yes/no questions; honest: GPT-4 with retrieved snippets, where it decided as the experts did",
    "kqa": "K-QA's patients' questions; honest: the model's answer that says most of the physicians' statements",
}


def pages() -> dict[Path, str]:
    """The page with the tables of the stored results."""
    found = json.loads(STORED.read_text(encoding="utf-8"))
    parts = [*(_part(name, found[name]) for name in SETS if name in found), _before(found["before"])]
    trained = json.loads(TRAINING.read_text(encoding="utf-8"))
    training = "\n\n".join(_trained(name, trained[name]) for name in SETS if name in trained)
    return filled(HERE / "README.md", {"results": "\n\n".join(parts), "training": training})


def _trained(name: str, found: dict[str, Any]) -> str:
    rows = []
    for reward, shares in found["chosen"].items():
        first = sorted(shares.items(), key=lambda one: -one[1])[:3]
        rows.append([reward, f"{shares[HONEST]:.2f}", ", ".join(f"{policy} {share:.2f}" for policy, share in first)])
    title = f"{name}: {found['steps']} steps, groups of {found['group']}. {found['date']}, {found['machine']}"
    return f"{title}\n\n" + table(["reward", "honest answer", "chosen most"], rows, right=[1])


def _before(found: dict[str, Any]) -> str:
    rows = [
        [name, reward, len(names), ", ".join(names)]
        for name, one in found.items()
        for reward, names in one["beaten"].items()
    ]
    return "### The reward before it was changed\n\n" + table(
        ["set", "reward", "beaten by", "policies"], rows, right=[2]
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
    parser.add_argument("--skip", type=int, default=0, help="questions of the part left out before those")
    parser.add_argument("--data", type=Path, help="folder of the data sets (FAS_DATA_DIR)")
    parser.add_argument("--store", action="store_true", help="store the result and write the page")
    options = parser.parse_args()
    rows = sets.drawn(SETS[options.set](data_folder(options.data)), options.part, options.n, options.skip)
    found = attack(rows)
    print(found.as_text())
    if options.store:
        if options.part != "test":
            parser.error("only results on the part `test` are stored")
        result = {**about(), **found.as_dict()}
        earned = {
            reward: {
                policy: [None if one is None else round(one, 4) for one in values] for policy, values in own.items()
            }
            for reward, own in result.pop("earned").items()
        }
        for path, value, indent in ((STORED, result, 1), (EARNED, earned, None)):
            stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
            text = json.dumps({**stored, options.set: value}, indent=indent, ensure_ascii=False)
            path.write_text(text + "\n", encoding="utf-8")
        write(pages())


if __name__ == "__main__":
    main()

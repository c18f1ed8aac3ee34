"""The members of the real run: expert answers, whole and with false statements, scored by embedded parts.

python benchmarks/detectors/members.py -o runs/detectors

BioASQ's questions with two expert answers or more, the first of 40 words or more (the study's choice of answers to
corrupt). Every question comes twice: its first expert answer as it is, and with a quarter of its statements made false.
The gold is where a change stands. The same call after an interruption goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "study"))
from experiments import Setting, corruption, snippet_index  # noqa: E402

from fas.api import score_file  # noqa: E402
from fas.bench.corrupt import corrupted  # noqa: E402
from fas.bench.files import data_folder  # noqa: E402
from fas.bench.prepare import write_answers  # noqa: E402
from fas.profile import PartSpec, load_profile  # noqa: E402

SHARES = (0.0, 0.25)
# Name, verifier, evidence (None: the index of all snippets of all questions).
MEMBERS = (("nli-given", "nli", "passages"), ("nli-index", "nli", None), ("lexical-given", "lexical", "passages"))


def main() -> None:
    """Write the answers with their gold, and score them once for each member."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--out", type=Path, default=ROOT / "runs" / "detectors")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--limit", type=int, help="questions, drawn with the seed (all)")
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--precision", default="auto")
    options = parser.parse_args()
    profile = load_profile("mini").override(precision=options.precision)
    data = data_folder(options.data)
    setting = Setting(data, options.out / "shared", profile, profile, options.limit, None, options.seed)
    index = snippet_index(setting)
    answers, gold = write_inputs(setting, options.out)
    print(json.dumps({"answers": str(answers), "gold": str(gold)}), flush=True)
    for name, verify, evidence in MEMBERS:
        chosen = replace(profile, verify=PartSpec(verify), evidence=evidence or f"index:{index}")
        report = score_file(answers, options.out / name, profile=chosen, offline=True)
        print(name, report.signature, {k: round(v, 1) for k, v in report.timing.items()}, flush=True)


def write_inputs(setting: Setting, out: Path) -> tuple[Path, Path]:
    """`answers.jsonl` and `gold.jsonl`; ids are `QUESTION#SHARE`."""
    material = corruption(setting)
    made = list(corrupted(material.items.values(), shares=SHARES, seed=setting.seed))
    folders = write_answers(out / "made", "bioasq", made, material.items, passages=material.passages)
    records, gold = [], []
    for model, folder in sorted(folders.items()):
        with (folder / "answers.jsonl").open(encoding="utf-8") as lines:
            for record in map(json.loads, lines):
                question = record["id"]
                record = {**record, "id": f"{question}/{model}", "item": question}
                changes = record.pop("changes")
                records.append(record)
                spans = [{"start": c["start"], "end": c["end"], "kind": c["kind"]} for c in changes]
                gold.append({"id": record["id"], "hallucination": bool(changes), "spans": spans})
    paths = out / "answers.jsonl", out / "gold.jsonl"
    for path, rows in zip(paths, (records, gold), strict=True):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    return paths


if __name__ == "__main__":
    main()

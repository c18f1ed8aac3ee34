"""The members of the real runs: expert answers, whole and with false statements, scored by embedded parts.

python -m benchmarks.detectors.members bioasq -o runs/detectors
python -m benchmarks.detectors.members kqa -o runs/detectors

bioasq: BioASQ's questions with two expert answers or more, the first of 40 words or more (the study's choice of answers
to corrupt), judged by the question's own snippets or by the best of all questions' snippets. kqa: K-QA's questions of
patients with the physicians' answers of 40 words or more, judged by the best of BioASQ's snippets, which were found
for other questions. Every question comes twice: its answer as it is, and with a quarter of its statements made false.
The gold is where a change stands. The same call after an interruption goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from pathlib import Path

from benchmarks.study.experiments import Setting, corruption, snippet_index
from fas.api import score_file
from fas.bench import benchmark
from fas.bench.corrupt import corrupt_items
from fas.bench.files import data_folder
from fas.bench.prepare import write_answers
from fas.core.profile import PartSpec, load_profile

ROOT = Path(__file__).resolve().parents[2]


SHARES = (0.0, 0.25)
LEAST_WORDS = 40
# Set to members: name, claims, verifier, evidence (None: the index of all of BioASQ's snippets).
MEMBERS = {
    "bioasq": (
        ("nli-given", "spacy", "nli", "passages"),
        ("nli-index", "spacy", "nli", None),
        ("nli-sentences", "sentences", "nli", "passages"),
        ("lexical-given", "spacy", "lexical", "passages"),
    ),
    "kqa": (
        ("nli-index", "spacy", "nli", None),
        ("nli-sentences", "sentences", "nli", None),
        ("lexical-index", "spacy", "lexical", None),
    ),
}


def main() -> None:
    """Write the answers with their gold, and score them once for each member."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", choices=sorted(MEMBERS))
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
    out = options.out / options.set
    answers, gold = write_inputs(setting, options.set, out)
    print(json.dumps({"answers": str(answers), "gold": str(gold)}), flush=True)
    for name, claims, verify, evidence in MEMBERS[options.set]:
        parts = {"claims": PartSpec(claims), "verify": PartSpec(verify)}
        chosen = replace(profile, **parts, evidence=evidence or f"index:{index}")
        report = score_file(answers, out / name, profile=chosen, offline=True)
        print(name, report.signature, {k: round(v, 1) for k, v in report.timing.items()}, flush=True)


def write_inputs(setting: Setting, name: str, out: Path) -> tuple[Path, Path]:
    """`answers.jsonl` and `gold.jsonl`; ids are `QUESTION#SHARE`."""
    if name == "bioasq":
        items = corruption(setting).items
    else:
        known = benchmark(name).items(setting.data)
        items = {item.id: item for item in known if item.references and long_enough(item.references[0])}
    made = list(corrupt_items(items.values(), shares=SHARES, seed=setting.seed))
    folders = write_answers(out / "made", name, made, items, passages="own")
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


def long_enough(text: str) -> bool:
    return len(text.split()) >= LEAST_WORDS


if __name__ == "__main__":
    main()

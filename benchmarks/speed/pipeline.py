"""How fast a profile scores answers, stage by stage, from a cold and from a warm cache.

    python -m benchmarks.speed.pipeline --answers 120 --repeats 3
    python -m benchmarks.speed.pipeline --profile base --answers 40 --repeats 3

Answers of about 150 words with five passages of about 200 words each, put together from the
sentences of `examples/`; no two answers share a passage text, so nothing is verified twice.
Each repeat is a process of its own with an empty cache, then the same command again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.page import store
from benchmarks.stored import load, row
from fas.core.cache import cache_root
from fas.text.sentences import sentence_spans

ROOT = Path(__file__).resolve().parents[2]


def sentences(path: Path, field: str) -> list[str]:
    """All sentences of a field of a JSON Lines file."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text = json.loads(line).get(field) or ""
        found += [text[start:end].replace("\n", " ") for start, end in sentence_spans(text)]
    return [sentence for sentence in found if 6 <= len(sentence.split()) <= 40 and sentence.isascii()]


def compose(pool: list[str], words: int, rng: random.Random) -> str:
    """Random sentences up to about *words* words."""
    parts: list[str] = []
    while sum(len(part.split()) for part in parts) < words:
        parts.append(rng.choice(pool))
    return " ".join(parts)


def write_answers(path: Path, n: int, seed: int) -> None:
    """The synthetic input."""
    rng = random.Random(seed)
    answers = sentences(ROOT / "examples/answers.jsonl", "prediction")
    notes = sentences(ROOT / "examples/evidence.jsonl", "text")
    with path.open("w", encoding="utf-8") as out:
        for i in range(n):
            record = {
                "id": str(i),
                "question": "What should I know?",
                "prediction": compose(answers, 150, rng),
                "references": [compose(answers, 120, rng)],
                "passages": [f"Note {i}-{j}. " + compose(notes, 200, rng) for j in range(5)],
            }
            out.write(json.dumps(record) + "\n")


def timed_run(source: Path, out: Path, cache: Path, profile: str) -> tuple[float, dict[str, float]]:
    """Wall seconds of one `fas score`, and its stages."""
    environment = {**os.environ, "FAS_CACHE_DIR": str(cache), "HF_HUB_OFFLINE": "1"}
    # The cache also holds the models that `fas models get` fetched; they are not results.
    cache.mkdir(exist_ok=True)
    if not (cache / "models").exists():
        (cache / "models").symlink_to(cache_root() / "models")
    began = time.perf_counter()
    command = [sys.executable, "-m", "fas", "score", source, "-o", out, "--profile", profile, "--quiet", "--overwrite"]
    subprocess.run(list(map(str, command)), check=True, env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - began
    return wall, json.loads((out / "report.json").read_text())["timing"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", default="mini", choices=("mini", "base"))
    parser.add_argument("--answers", type=int, default=120)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    cold, warm, stages = [], [], []
    for repeat in range(options.repeats):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "answers.jsonl"
            write_answers(source, options.answers, seed=repeat)
            seconds, timing = timed_run(source, Path(folder) / "out", Path(folder) / "cache", options.profile)
            cold.append(seconds)
            stages.append(timing)
            warm.append(timed_run(source, Path(folder) / "again", Path(folder) / "cache", options.profile)[0])
            print(f"repeat {repeat + 1}: cold {cold[-1]:.1f} s, warm {warm[-1]:.1f} s, stages {timing}", flush=True)

    def rate(seconds: list[float]) -> float:
        return 60 * options.answers / statistics.median(seconds)

    spent = {name: 1000 * statistics.median(own[name] for own in stages) / options.answers for name in stages[0]}
    del spent["total"]
    spent["rest"] = 1000 * statistics.median(cold) / options.answers - sum(spent.values())
    found = {
        "cold_per_min": round(rate(cold), 1),
        "warm_per_min": round(rate(warm), 1),
        "warm_times": round(rate(warm) / rate(cold), 2),
        "stages_ms": {name: round(value, 1) for name, value in spent.items()},
    }
    runs = {"cold_s": [round(one, 1) for one in cold], "warm_s": [round(one, 1) for one in warm]}
    made = row("pipeline", f"profile {options.profile}", options.answers, found, **runs, load=load())
    print(json.dumps(made))
    if options.store:
        store([made])


if __name__ == "__main__":
    main()

"""The profile mini by one process, one worker, two and four: time, memory a worker, what it shares; writes growth.json.

    python -m benchmarks.scale.growth FOLDER [--answers 48] [--repeats 3]

All ways take turns; of each the round with the middle wall clock is stored, with the clock and the load of all. The answers are those of `benchmarks.speed.pipeline` (150 words, five passages of 200 words); every way begins with an empty
cache. On a machine that others use the clock says little: processor time an answer is what growth is read from.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil

from benchmarks.speed.pipeline import write_answers

ROOT = Path(__file__).resolve().parents[2]
WAYS = {
    "one process": (),
    "1 worker, 1 processor": ("--engine", "processes", "-j", "1"),
    "1 worker": ("--engine", "processes", "-j", "1"),
    "2 workers": ("--engine", "processes", "-j", "2"),
    "4 workers": ("--engine", "processes", "-j", "4"),
}


def measure(folder: Path, name: str, options: tuple[str, ...], n: int) -> dict:
    """One run from an empty cache."""
    out, cache = folder / name.replace(" ", "-"), folder / "cache"
    shutil.rmtree(out, ignore_errors=True)
    shutil.rmtree(cache, ignore_errors=True)
    taken = ["taskset", "--cpu-list", "0"] if name.endswith("1 processor") else []
    command = [
        *taken,
        sys.executable,
        "-m",
        "fas",
        "score",
        str(folder / "answers.jsonl"),
        "-o",
        str(out),
        "--quiet",
        *options,
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FAS_CACHE_DIR": str(cache)}
    load, began = os.getloadavg()[0], time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    cpu: dict[int, float] = {}
    memory: dict[int, dict[str, float]] = {}
    while process.poll() is None:
        try:
            root = psutil.Process(process.pid)
            for one in [root, *root.children(recursive=True)]:
                times, sizes = one.cpu_times(), one.memory_full_info()
                cpu[one.pid] = times.user + times.system
                found = {"rss_mb": sizes.rss / 1e6, "pss_mb": sizes.pss / 1e6, "uss_mb": sizes.uss / 1e6}
                memory[one.pid] = max(memory.get(one.pid, found), found, key=lambda one: one["rss_mb"])
        except psutil.Error:
            pass
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{name}: ended with {process.returncode}")
    workers = [sizes for pid, sizes in memory.items() if pid != process.pid and sizes["rss_mb"] > 150]
    return {
        "answers": n,
        "wall_s": time.perf_counter() - began,
        "load_before": load,
        "cpu_s": sum(cpu.values()),
        "parent": memory[process.pid] | {"cpu_s": cpu[process.pid]},
        "workers": workers,
        "stages_s": json.loads((out / "report.json").read_text(encoding="utf-8"))["timing"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--answers", type=int, default=48)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    write_answers(options.folder / "answers.jsonl", options.answers, seed=1)
    rounds: dict[str, list[dict]] = {name: [] for name in WAYS}
    for repeat in range(options.repeats):
        for name, engine in WAYS.items():
            found = measure(options.folder, name, engine, options.answers)
            scores = (options.folder / name.replace(" ", "-") / "scores.jsonl").read_bytes()
            if not repeat and name == "one process":
                first = scores
            found["same_bytes"] = scores == first
            rounds[name].append(found)
            print(repeat, name, json.dumps(found), flush=True)
        stored = {name: middle(found) for name, found in rounds.items()} | {"processors": os.cpu_count()}
        Path(__file__).with_name("growth.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


def middle(rounds: list[dict]) -> dict:
    """The round with the middle wall clock, the clock and the load of all, and whether all gave the same bytes."""
    found = sorted(rounds, key=lambda one: one["wall_s"])[len(rounds) // 2]
    return found | {
        "same_bytes": all(one["same_bytes"] for one in rounds),
        "wall_s_all": [round(one["wall_s"], 1) for one in rounds],
        "load_all": [round(one["load_before"], 1) for one in rounds],
    }


if __name__ == "__main__":
    main()

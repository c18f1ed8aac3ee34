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
    command = [*taken, sys.executable, "-m", "fas", "score", folder / "answers.jsonl", "-o", out, "--quiet", *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "FAS_CACHE_DIR": str(cache)}
    load, began = os.getloadavg()[0], time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.DEVNULL)
    used = watch(process)
    if process.returncode:
        raise SystemExit(f"{name}: ended with {process.returncode}")
    parent = used["processes"].pop(process.pid)
    keys = ("rss_mb", "pss_mb", "uss_mb")
    return {
        "answers": n,
        "wall_s": time.perf_counter() - began,
        "load_before": load,
        "cpu_s": used["cpu_s"],
        "parent": parent,
        "workers": [{key: own[key] for key in keys} for own in used["processes"].values() if own["rss_mb"] > 150],
        "stages_s": json.loads((out / "report.json").read_text(encoding="utf-8"))["timing"],
    }


def watch(process: subprocess.Popen) -> dict:
    """What *process* and its children take until it ends.

    `cpu_s`: processor time of all. `pss_mb_all`: the largest memory of all together. `processes`: by id, processor time and
    the memory (resident, proportional, own) at its largest.
    """
    processes: dict[int, dict[str, float]] = {}
    together = 0.0
    while process.poll() is None:
        now = []
        try:
            root = psutil.Process(process.pid)
            for one in [root, *root.children(recursive=True)]:
                times, sizes = one.cpu_times(), one.memory_full_info()
                found = {f"{kind}_mb": getattr(sizes, kind) / 1e6 for kind in ("rss", "pss", "uss")}
                now.append(found["pss_mb"])
                largest = max(processes.get(one.pid, found), found, key=lambda own: own["rss_mb"])
                processes[one.pid] = {**largest, "cpu_s": times.user + times.system}
        except psutil.Error:
            pass
        together = max(together, sum(now))
        time.sleep(0.5)
    return {"cpu_s": sum(own["cpu_s"] for own in processes.values()), "pss_mb_all": together, "processes": processes}


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

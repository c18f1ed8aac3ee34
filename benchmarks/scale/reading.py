"""Reading a run of 100,000 answers, and comparing two: time and the largest memory; writes reading.json.

    python -m benchmarks.scale.reading FOLDER RUN [RUN] [--answers 100000]

Each large run repeats the answers of a small one (a folder of `fas score`) under ids and questions of their own. Every step
is a process of its own. Processor time is what to read on a machine that others use.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.stored import about

ROOT = Path(__file__).resolve().parents[2]
STEPS = {
    "every record once": "sum(1 for _ in fas.open_run(a).records())",
    "all answers in memory": "len(fas.open_run(a).answers)",
    "`compare` of two": "fas.open_run(a).compare(b)",
}


def repeat(source: Path, folder: Path, n: int) -> None:
    """Write *n* answers into *folder*: those of *source* again and again."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.json").write_bytes((source / "report.json").read_bytes())
    records = [json.loads(line) for line in (source / "scores.jsonl").read_text(encoding="utf-8").splitlines()]
    with (folder / "scores.jsonl").open("w", encoding="utf-8") as out:
        for i in range(n):
            own = {"id": str(i), "question": f"{records[i % len(records)]['question']} ({i})", "meta": {}}
            out.write(json.dumps(records[i % len(records)] | own, ensure_ascii=False) + "\n")


def measure(step: str, folders: list[Path]) -> dict[str, float]:
    """One step: seconds of the clock and of the processor, and the largest memory."""
    a, b = map(str, folders)
    load, began = os.getloadavg()[0], time.perf_counter()
    code = f"import fas; a, b = {a!r}, {b!r}; {STEPS[step]}"
    child = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)})
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{step}: ended with {status}")
    taken = {"wall_s": time.perf_counter() - began, "cpu_s": used.ru_utime + used.ru_stime}
    return {**taken, "rss_mb": used.ru_maxrss * 1024 / 1e6, "load_before": load}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("runs", type=Path, nargs="+")
    parser.add_argument("--answers", type=int, default=100_000)
    options = parser.parse_args()
    folders = [options.folder / name for name in "ab"]
    for source, folder in zip((options.runs[0], options.runs[-1]), folders, strict=True):
        repeat(source, folder, options.answers)
    size = sum((folder / "scores.jsonl").stat().st_size for folder in folders) / 2
    stored = {**about(), "answers": options.answers, "file_mb": size / 1e6, "steps": {}}
    for step in STEPS:
        stored["steps"][step] = measure(step, folders)
        print(step, stored["steps"][step], flush=True)
        Path(__file__).with_name("reading.json").write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

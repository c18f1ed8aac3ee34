"""20,000 short answers by every engine; writes many.json.

    python -m benchmarks.scale.many FOLDER [--answers 20000]

Each way ends with the bytes of one process, or the script stops. FOLDER takes the input and the results. Claims
are given and the verifier compares words, so that minutes suffice: what is measured is the engines, not the models.
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

from benchmarks.scale.growth import watch

ROOT = Path(__file__).resolve().parents[2]
PROFILE = """
[claims]
name = "given"
[verify]
name = "lexical"
[safety]
enabled = false
[run]
precision = "fp32"
"""
NOTES = ["Ibuprofen reduces fever in children and adults.", "Aspirin was given to 40 patients.", "No effect on sleep."]


def write_answers(path: Path, n: int) -> None:
    """*n* answers of two claims; every 5,000th line lacks its prediction."""
    with path.open("w", encoding="utf-8") as out:
        for i in range(1, n + 1):
            claims = ["Ibuprofen reduces fever.", f"Aspirin was given to {i % 97} patients."]
            answer = {
                "id": f"a{i}",
                "question": f"Question {i // 2}?",
                "prediction": " ".join(claims),
                "claims": claims,
                "passages": NOTES,
            }
            if i % 5_000 == 7:
                del answer["prediction"]
            out.write(json.dumps(answer) + "\n")


class Runs:
    """The command, with what it took."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.results: dict[str, dict] = {}
        (folder / "profile.toml").write_text(PROFILE)

    def start(self, out: str, *options: str) -> subprocess.Popen:
        """Begin a run."""
        command = [sys.executable, "-m", "fas", "score", str(self.folder / "answers.jsonl")]
        command += ["-o", str(self.folder / out), "--profile", str(self.folder / "profile.toml")]
        command += ["--quiet", "--on-error", "record", *options]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "FAS_CACHE_DIR": str(self.folder / "cache")}
        log = (self.folder / f"{out}.log").open("ab")
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def whole(self, name: str, out: str, *options: str) -> None:
        """A run to its end."""
        began, load = time.perf_counter(), os.getloadavg()[0]
        process = self.start(out, *options)
        used = watch(process)
        if process.returncode:
            raise SystemExit(f"{name}: ended with {process.returncode}; see {self.folder / out}.log")
        largest = max(own["pss_mb"] for own in used.pop("processes").values())
        seconds = time.perf_counter() - began
        self.results[name] = {"wall_s": seconds, "load_before": load, **used, "pss_mb_largest_process": largest}

    def same(self, name: str, out: str, one: bytes) -> None:
        """Hold what a run left against the bytes of one process."""
        found = (self.folder / out / "scores.jsonl").read_bytes()
        rows = [json.loads(line) for line in found.splitlines()]
        report, first = (stored_report(self.folder / where) for where in (out, "one"))
        self.results[name] |= {
            "rows": len(rows),
            "ids": len({row["id"] for row in rows}),
            "errors": sum(row["error"] is not None for row in rows),
            "same_bytes": found == one,
            "same_report": report == first,
        }
        print(name, json.dumps(self.results[name]), flush=True)
        if found != one or report != first:
            raise SystemExit(f"{name}: not what one process wrote")


def stored_report(out: Path) -> dict:
    """`report.json` without the times."""
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    del report["timing"]
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--answers", type=int, default=20_000)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in ("one", "processes-1", "processes-2", "merged", "shard-1", "shard-2", "shard-3"):
        shutil.rmtree(options.folder / name, ignore_errors=True)
    write_answers(options.folder / "answers.jsonl", options.answers)
    runs = Runs(options.folder)
    runs.whole("one process", "one")
    one = (options.folder / "one" / "scores.jsonl").read_bytes()
    runs.same("one process", "one", one)
    for jobs in (1, 2):
        runs.whole(f"processes, {jobs}", f"processes-{jobs}", "--engine", "processes", "-j", str(jobs))
        runs.same(f"processes, {jobs}", f"processes-{jobs}", one)
    for number in (1, 2, 3):
        runs.whole(f"shard {number}/3", f"shard-{number}", "--shard", f"{number}/3")
    shards = [str(options.folder / f"shard-{number}") for number in (3, 1, 2)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "fas", "results", "merge", *shards, "-o", str(options.folder / "merged"), "--json"]
    began = time.perf_counter()
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    runs.results["three shards, merged"] = {"wall_s": time.perf_counter() - began}
    runs.same("three shards, merged", "merged", one)
    results = {"answers": options.answers, "processors": os.cpu_count(), "runs": runs.results}
    Path(__file__).with_name("many.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

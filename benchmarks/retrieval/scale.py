"""Build and query indexes of growing size; writes scale.json and the page.

    python -m benchmarks.retrieval.scale FOLDER 50000 200000 1000000
    python -m benchmarks.retrieval.scale FOLDER 4000000 --jobs 1 --kill-at 0.4 --spare-disk

FOLDER holds the synthetic files and the indexes, about 1.7 GB for a million records. The page shows the growth over all
sizes that are stored and what it would lead to (`benchmarks.retrieval.page`).
With `--kill-at` the build is ended by SIGKILL at that share of its files and begun again by the same command; its
times are those of both. With `--spare-disk` a source file goes as soon as the index has it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import platform
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.retrieval.page import HERE, pages
from benchmarks.retrieval.synthetic_pubmed import documents, vocabulary, write_pubmed_files
from benchmarks.stored import about
from benchmarks.tables import write

import psutil

BUILD = """
import sys
from pathlib import Path
from fas.evidence.build import build_index
build_index(Path(sys.argv[1]), [Path(name) for name in sys.argv[3:]], jobs=int(sys.argv[2]) or None)
"""
PROGRAM = """
import json, resource, sys, time
from pathlib import Path
from fas.evidence.index import TextIndex
from fas.evidence.options import Years
queries = json.loads(sys.stdin.read())
began = time.perf_counter()
index = TextIndex(Path(sys.argv[1]))
opened = time.perf_counter() - began
for query in queries[:50]:
    index.search(query["text"], limit=5)
def latencies(**options):
    wall, cpu, hits = [], [], 0
    for query in queries[:500]:
        began, spent = time.perf_counter(), time.thread_time()
        found = index.search(query["text"], limit=5, **options)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(1000 * (time.thread_time() - spent))
        hits += any(hit.passage.id == query["id"] for hit in found)
    wall.sort(), cpu.sort()
    middle, late = len(wall) // 2, int(len(wall) * 0.95)
    return {"p50_ms": wall[middle], "p95_ms": wall[late], "cpu_p50_ms": cpu[middle], "cpu_p95_ms": cpu[late],
            "source_document_in_top_5": hits / len(wall)}
def batch(limit):
    began, cpu = time.perf_counter(), time.process_time()
    index.search_many([query["text"] for query in queries], limit=limit)
    return {"per_s": len(queries) / (time.perf_counter() - began),
            "cpu_ms_per_query": 1000 * (time.process_time() - cpu) / len(queries)}
single, years = latencies(), latencies(years=Years(2014, 2024))
top5, top20 = batch(5), batch(20)
memory = {line.split(":")[0]: int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("Rss")}
print(json.dumps({"open_ms": 1000 * opened, "query": single, "query_with_years": years, "batch_top_5": top5,
                  "batch_top_20": top20, "memory_mb": memory}))
"""


def main() -> None:
    """Measure every size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument(
        "--jobs", type=int, default=0, help="files read at a time (default: as `fas index build` has it)"
    )
    parser.add_argument("--kill-at", type=float, metavar="SHARE", help="end the build once, at this share of its files")
    parser.add_argument("--spare-disk", action="store_true", help="remove each source file once it is in the index")
    options = parser.parse_args()
    target = HERE / "scale.json"
    results = json.loads(target.read_text()) if target.exists() else {}
    for size in options.sizes:
        results[str(size)] = measure(
            options.folder, size, jobs=options.jobs, kill_at=options.kill_at, spare_disk=options.spare_disk
        )
        results[str(size)]["machine"] = {
            **about(), "processors": os.cpu_count(), "load_before": os.getloadavg()[0], "python": platform.python_version()
        }  # fmt: skip
        print(size, json.dumps(results[str(size)]), flush=True)
        target.write_text(json.dumps(results, indent=1) + "\n")
    write(pages())


def measure(
    folder: Path, size: int, *, jobs: int = 0, kill_at: float | None = None, spare_disk: bool = False
) -> dict[str, object]:
    """Times, sizes and memory for *size* records."""
    directory = folder / f"index-{size}"
    if directory.exists():
        if not (directory / "ledger.sqlite").is_file():
            raise SystemExit(f"{directory}: is no index; name another folder")
        shutil.rmtree(directory)
    # Files of whole 30,000 records are shared between sizes.
    files = write_pubmed_files(folder / ("files" if size % 30_000 == 0 else str(size)), size)
    source_mb = sum(path.stat().st_size for path in files) / 1e6
    watch = Watch(directory, files, spare_disk=spare_disk)
    began = time.perf_counter()
    killed = None
    if kill_at is not None:
        killed = build(directory, files, jobs, watch, kill_at=int(kill_at * len(files)))
    build(directory, [path for path in files if path.exists()], jobs, watch)
    seconds = time.perf_counter() - began
    queries = make_queries(size)
    reply = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(directory)],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=True,
    )
    return {
        "records": size,
        "source_mb": source_mb,
        "build_s": seconds,
        "build_cpu_s": sum(watch.cpu.values()),
        **({} if killed is None else {"killed": {"files": len(files), "in_the_index_when_killed": killed}}),
        "index_mb": sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6,
        "build_peak_mb": watch.peak,
        **json.loads(reply.stdout),
    }


class Watch:
    """What a build takes, looked at four times a second.

    Attributes:
        cpu: Seconds of every process, by its id.
        peak: The most memory that was seen, in MB: of the builder and of all processes, their own and with mapped files.
    """

    def __init__(self, directory: Path, files: list[Path], *, spare_disk: bool) -> None:
        self.cpu: dict[int, float] = {}
        self.peak = dict.fromkeys(("total_anonymous", "total_resident", "builder_anonymous", "builder_resident"), 0.0)
        self._ledger = directory / "ledger.sqlite"
        self._files = {str(path.resolve()): path for path in files}
        self._spare_disk = spare_disk

    def look(self, process: psutil.Process) -> None:
        """Take down what *process* and its children hold."""
        rows = []
        for one in [process, *process.children(recursive=True)]:
            memory, times = one.memory_info(), one.cpu_times()
            rows.append((memory.rss - memory.shared, memory.rss))
            self.cpu[one.pid] = times.user + times.system
        for column, kind in enumerate(("anonymous", "resident")):
            for name, found in (("builder", rows[0][column]), ("total", sum(row[column] for row in rows))):
                self.peak[f"{name}_{kind}"] = max(self.peak[f"{name}_{kind}"], found / 1e6)

    def applied(self) -> int:
        """How many files are in the index."""
        if not self._ledger.is_file():
            return 0
        try:
            connection = sqlite3.connect(f"file:{self._ledger}?mode=ro", uri=True)
            with contextlib.closing(connection):
                known = [str(path) for (path,) in connection.execute("SELECT path FROM sources")]
        except sqlite3.OperationalError:  # not made yet, or just being written
            return 0
        if self._spare_disk:
            for path in known:
                self._files[path].unlink(missing_ok=True)
        return len(known)


def build(directory: Path, files: list[Path], jobs: int, watch: Watch, *, kill_at: int | None = None) -> int:
    """Build the index, or end the build when it has *kill_at* files; returns how many it has."""
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(directory), str(jobs), *map(str, files)])
    began = watched = time.monotonic()
    while process.poll() is None:
        with contextlib.suppress(psutil.NoSuchProcess):
            watch.look(psutil.Process(process.pid))
        if time.monotonic() - watched > 2:
            watched = time.monotonic()
            if watch.applied() >= (kill_at or math.inf):
                process.send_signal(signal.SIGKILL)
        time.sleep(0.25)
    if process.wait() != (0 if kill_at is None else -signal.SIGKILL):
        raise SystemExit(f"the build ended with {process.returncode} after {time.monotonic() - began:.0f} s")
    return watch.applied()


def make_queries(size: int) -> list[dict[str, str]]:
    """1,000 queries of 15 words: ten of one document, five of any."""
    words = vocabulary()
    generator = random.Random(1)
    queries = []
    per_file = 30_000
    for pmid, _, abstract, _ in documents(min(per_file, size), words, seed=0):
        if generator.random() < 1000 / min(per_file, size) and len(queries) < 1000:
            own = abstract.split()
            text = generator.sample(own, 10) + [words[int(len(words) ** generator.random()) - 1] for _ in range(5)]
            queries.append({"id": str(pmid), "text": " ".join(text)})
    return queries


if __name__ == "__main__":
    main()

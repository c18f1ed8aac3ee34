"""Build and query indexes of growing size, and say what PubMed's 38 million would need; writes scale.json.

    python -m benchmarks.retrieval.scale FOLDER 50000 200000 1000000

FOLDER holds the synthetic files and the indexes, about 6 GB for a million records. The last lines are the
growth from size to size and what it would lead to, by the straight line through the two largest sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from benchmarks.retrieval.synthetic_pubmed import documents, vocabulary, write_pubmed_files

import psutil

ROOT = Path(__file__).resolve().parents[2]
PUBMED = 38_000_000
# What grows with the size of the index: name, where it stands in the results, unit.
GROWING = (
    ("build, wall clock", ("build_s",), "s"),
    ("build, processor time", ("build_cpu_s",), "s"),
    ("index on disk", ("index_mb",), "MB"),
    ("query, median", ("query", "p50_ms"), "ms"),
    ("query, median of processor time", ("query", "cpu_p50_ms"), "ms"),
    ("batch, processor time a query", ("batch_top_5", "cpu_ms_per_query"), "ms"),
)
# What must not: no straight line through these means anything, the sizes themselves show the bound.
BOUNDED = (
    ("building, own memory, all processes", ("build_peak_mb", "total_anonymous"), "MB"),
    ("building, with mapped files", ("build_peak_mb", "total_resident"), "MB"),
    ("searching, own memory", ("memory_mb", "RssAnon"), "MB"),
)

BUILD = """
import sys
from pathlib import Path
from fas.evidence.build import build_index
build_index(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
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
    options = parser.parse_args()
    target = Path(__file__).with_name("scale.json")
    results = json.loads(target.read_text()) if target.exists() else {}
    for size in options.sizes:
        results[str(size)] = measure(options.folder, size)
        results[str(size)]["machine"] = {
            "processors": os.cpu_count(), "load_before": os.getloadavg()[0], "python": platform.python_version()
        }  # fmt: skip
        print(size, json.dumps(results[str(size)]), flush=True)
        target.write_text(json.dumps(results, indent=1) + "\n")
    measured = [results[str(size)] for size in sorted(options.sizes)]
    if len(measured) > 1:
        results["extrapolation"] = extrapolate(measured, PUBMED)
        target.write_text(json.dumps(results, indent=1) + "\n")
        print_growth(measured, results["extrapolation"])


def extrapolate(measured: list[dict], records: int) -> dict[str, float]:
    """What *records* would need: each growing quantity on the straight line through the two largest sizes."""
    small, large = measured[-2:]
    span = large["records"] - small["records"]
    found = {"records": float(records)}
    for name, path, _ in GROWING:
        low, high = value(small, path), value(large, path)
        found[name] = high + (high - low) / span * (records - large["records"])
    return found


def value(result: dict, path: tuple[str, ...]) -> float:
    """The number at *path* of a result."""
    for name in path:
        result = result[name]
    return float(result)  # type: ignore[arg-type]


def print_growth(measured: list[dict], further: dict[str, float]) -> None:
    """A table: every size measured, then the extrapolation."""
    sizes = [f"{each['records']:,}" for each in measured]
    print(f"\n| | {' | '.join(sizes)} | {further['records']:,.0f} (extrapolated) |")
    print("|---" * (len(sizes) + 2) + "|")
    for name, path, unit in GROWING:
        cells = [f"{value(each, path):,.3g} {unit}" for each in measured]
        print(f"| {name} | {' | '.join(cells)} | {further[name]:,.3g} {unit} |")
    for name, path, unit in BOUNDED:
        print(f"| {name} | {' | '.join(f'{value(each, path):,.0f} {unit}' for each in measured)} | |")
    rates = " | ".join(f"{each['batch_top_5']['per_s']:,.0f}" for each in measured)
    print(
        f"| queries a second in batches | {rates} | {1000 / further['batch, processor time a query']:,.1f} a processor |"
    )


def measure(folder: Path, size: int) -> dict[str, object]:
    """Times, sizes and memory for *size* records."""
    # Files of whole 30,000 records are shared between sizes.
    files = write_pubmed_files(folder / ("files" if size % 30_000 == 0 else str(size)), size)
    directory = folder / f"index-{size}"
    if directory.exists():
        if not (directory / "ledger.sqlite").is_file():
            raise SystemExit(f"{directory}: is no index; name another folder")
        shutil.rmtree(directory)
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-c", BUILD, str(directory), *map(str, files)])
    peak: dict[str, float] = {"total_anonymous": 0, "total_resident": 0, "builder_anonymous": 0, "builder_resident": 0}
    cpu = {}
    done = threading.Event()

    def watch() -> None:
        root = psutil.Process(process.pid)
        while not done.wait(0.25):
            try:
                family = [root, *root.children(recursive=True)]
                rows = []
                for one in family:
                    memory, times = one.memory_info(), one.cpu_times()
                    rows.append((memory.rss - memory.shared, memory.rss))
                    cpu[one.pid] = times.user + times.system
                peak["builder_anonymous"] = max(peak["builder_anonymous"], rows[0][0] / 1e6)
                peak["builder_resident"] = max(peak["builder_resident"], rows[0][1] / 1e6)
                peak["total_anonymous"] = max(peak["total_anonymous"], sum(row[0] for row in rows) / 1e6)
                peak["total_resident"] = max(peak["total_resident"], sum(row[1] for row in rows) / 1e6)
            except psutil.NoSuchProcess:
                continue

    watcher = threading.Thread(target=watch)
    watcher.start()
    if process.wait() != 0:
        raise SystemExit("the build failed")
    done.set()
    watcher.join()
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
        "source_mb": sum(path.stat().st_size for path in files) / 1e6,
        "build_s": seconds,
        "build_cpu_s": sum(cpu.values()),
        "index_mb": sum(path.stat().st_size for path in directory.rglob("*") if path.is_file()) / 1e6,
        "build_peak_mb": peak,
        **json.loads(reply.stdout),
    }


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

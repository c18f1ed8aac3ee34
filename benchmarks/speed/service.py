"""`fas serve` under load beside `fas score` on the same answers: rate, latencies, losses, and memory over many requests.

    python -m benchmarks.speed.service --answers 256 --requests 10000

Both begin with an empty cache and no answer is met twice (`benchmarks.speed.writer.Writer`), then the service is asked for
the same answers again and again, from its cache, while its memory is read. `fas score` is run with one answer as well, and that
time is taken off: the service has its models loaded before it is asked. Rates are given by the clock and by processor time;
the clients work on the same processor, so on a small machine the second is the one to read. With `--store` the row goes to the page.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil

from benchmarks import stored
from benchmarks.speed.page import store
from benchmarks.speed.writer import Writer


@contextlib.contextmanager
def served(cache: str, waiting: int) -> Iterator[tuple[str, psutil.Process]]:
    """A service with an empty cache, and its process."""
    options = f"serve --port 0 --max-waiting {waiting} --max-seconds 600"
    command = [sys.executable, "-m", "fas", *options.split()]
    process = subprocess.Popen(command, env={**os.environ, "FAS_CACHE_DIR": cache}, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        found = re.search(r"serving on (http://\S+)", line)
        if found:
            break
    else:
        raise RuntimeError("the service did not start")
    threading.Thread(target=process.stderr.read, daemon=True).start()
    try:
        yield found[1], psutil.Process(process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(600)


def score_seconds(rows: list[dict]) -> tuple[float, float]:
    """Seconds by the clock and of the processor of `fas score`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "fas", "score", str(path), "-o", f"{folder}/out"],
            env={**os.environ, "FAS_CACHE_DIR": f"{folder}/cache"},
            check=True,
            capture_output=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return time.perf_counter() - began, cpu


def used(process: psutil.Process) -> float:
    """Processor seconds of a process so far."""
    times = process.cpu_times()
    return times.user + times.system


def asked(url: str, rows: list[dict], clients: int) -> tuple[list[float], Counter, int]:
    """Every row by one of *clients*: seconds each took, statuses, and how many came back as another answer or failed."""
    with httpx.Client(base_url=url, timeout=600, limits=httpx.Limits(max_connections=clients)) as client:

        def ask(row: dict) -> tuple[float, int, bool]:
            began = time.perf_counter()
            response = client.post("/v1/score", json=row)
            seconds = time.perf_counter() - began
            body = response.json()
            right = (body.get("id"), body.get("prediction")) == (row["id"], row["prediction"])
            return seconds, response.status_code, right and body["error"] is None

        with ThreadPoolExecutor(clients) as pool:
            found = list(pool.map(ask, rows))
    return [one[0] for one in found], Counter(one[1] for one in found), sum(not one[2] for one in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--answers", type=int, default=256)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--store", action="store_true", help="put the rows into results.jsonl and the page")
    options = parser.parse_args()
    rows = [{**row, "id": str(number)} for number, row in enumerate(Writer(2).answers(options.answers, "short"))]
    one, whole = score_seconds(rows[:1]), score_seconds(rows)
    alone = [whole[i] - one[i] for i in range(2)]
    print("fas score", alone, flush=True)
    with tempfile.TemporaryDirectory() as cache, served(cache, 2 * options.clients) as (url, process):
        before, began = used(process), time.perf_counter()
        seconds, statuses, wrong = asked(url, rows, options.clients)
        service = [time.perf_counter() - began, used(process) - before]
        print("fas serve", service, statuses, wrong, flush=True)
        rng, memory, again = random.Random(3), [process.memory_info().rss], Counter[int]()
        for _ in range(10):
            more = [rng.choice(rows) for _ in range(options.requests // 10)]
            _, found, lost = asked(url, more, options.clients)
            again += found
            wrong += lost
            memory.append(process.memory_info().rss)
            print("memory", memory[-1] >> 20, "MiB", flush=True)
    points = statistics.quantiles(seconds, n=100)
    found_all = stored.row(
        "service",
        "under load",
        options.answers,
        {
            "rate": round(alone[0] / service[0], 3),
            "rate_cpu": round(alone[1] / service[1], 3),
            "latency_s": {"p50": round(points[49], 3), "p95": round(points[94], 3), "p99": round(points[98], 3)},
        },
        clients=options.clients,
        score={"s": round(alone[0], 2), "cpu_s": round(alone[1], 2)},
        service={"s": round(service[0], 2), "cpu_s": round(service[1], 2)},
        statuses={str(key): n for key, n in (statuses + again).items()},
        lost_or_wrong=wrong,
        requests_for_memory=options.requests // 10 * 10,
        memory_mib=[round(value / 2**20, 1) for value in memory],
        load=stored.load(),
    )
    print(json.dumps(found_all))
    if options.store:
        store([found_all], whole=True)


if __name__ == "__main__":
    main()

"""README.md of this folder, from the stored results: `python -m benchmarks.scale.page`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.tables import write

HERE = Path(__file__).resolve().parent


def render(many: dict[str, Any], growth: dict[str, Any] | None, reading: dict[str, Any] | None) -> str:
    """The page.

    Args:
        many: What `benchmarks.scale.many` stored.
        growth: What `benchmarks.scale.growth` stored, if anything.
        reading: What `benchmarks.scale.reading` stored, if anything.
    """
    more = [] if growth is None else ["", *_growth(growth)]
    return "\n".join([*_many(many), *more, *([] if reading is None else ["", *_reading(reading)])]) + "\n"


def _many(many: dict[str, Any]) -> list[str]:
    n = f"{many['answers']:,}"
    rows = [
        "| way | rows | ids | error records | bytes and report of one process | wall clock | processor time | memory of all |"
    ]
    rows += ["|---|---:|---:|---:|---|---:|---:|---:|"]
    for name, found in many["runs"].items():
        if "rows" not in found:
            continue
        same = "yes" if found["same_bytes"] and found["same_report"] else "NO"
        cpu = f"{found['cpu_s']:.0f} s" if "cpu_s" in found else "-"
        memory = f"{found['pss_mb_all']:,.0f} MB" if "pss_mb_all" in found else "-"
        counts = f"{found['rows']:,} | {found['ids']:,} | {found['errors']}"
        rows.append(f"| {name} | {counts} | {same} | {found['wall_s']:.0f} s | {cpu} | {memory} |")
    loads = [found["load_before"] for found in many["runs"].values() if "load_before" in found]
    return [
        "# Scale: the engines",
        "",
        "Made by `python -m benchmarks.scale.page` from the results beside it. What to take when: [docs/how-to/scale.md](../../docs/how-to/scale.md).",
        "",
        f"## {n} short answers, every way",
        "",
        "    python -m benchmarks.scale.many FOLDER",
        "",
        f"{n} answers with given claims, the verifier that compares words, no reference metrics; lines that are no answers become error",
        "records.",
        "",
        *rows,
        "",
        f"{many['processors']} processors, which other work shared: the load before the runs was {min(loads):.0f} to {max(loads):.0f}. So the clock says nothing about the engines.",
        "Memory is the largest sum of proportional set sizes that was seen. The time of the shards is that of merging them.",
    ]


def _growth(growth: dict[str, Any]) -> list[str]:
    ways = {name: found for name, found in growth.items() if isinstance(found, dict)}
    n = next(iter(ways.values()))["answers"]
    rows = [
        "| way | same bytes | load before, each round | wall clock, each round | processor time | stages of all workers, an answer | memory a worker (PSS; own) | parent (PSS) |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, found in ways.items():
        stages = _stages(found)
        workers = found["workers"]
        memory = "; ".join(f"{one['pss_mb']:,.0f} MB; {one['uss_mb']:,.0f} MB" for one in workers[:1]) or "-"
        rows.append(
            f"| {name} | {'yes' if found['same_bytes'] else 'NO'} | {_each(found.get('load_all', [found['load_before']]))} | {_each(found.get('wall_s_all', [found['wall_s']]))} s | {found['cpu_s']:.0f} s "
            f"| {1000 * stages / n:,.0f} ms by the clock | {memory} | {found['parent']['pss_mb']:,.0f} MB |"
        )
    return [
        "## The profile mini, by workers",
        "",
        "    python -m benchmarks.scale.growth FOLDER",
        "",
        f"{n} answers of about 150 words with five passages of about 200 words, from an empty cache each time; all ways take turns, and what is",
        "no list is of the round with the middle wall clock.",
        "",
        *rows,
        "",
        f"{growth['processors']} processors. The goal, time by the number of workers within 15%, can be judged only where that many processors are idle.",
        *_factor(ways),
    ]


def _reading(reading: dict[str, Any]) -> list[str]:
    return [
        f"## Reading {reading['answers']:,} stored answers",
        "",
        "    python -m benchmarks.scale.reading FOLDER RUN RUN",
        "",
        f"Two runs of {reading['file_mb']:,.0f} MB each, made by repeating the answers of small ones under ids and questions of their own. Goal: 1,000 MB.",
        "",
        "| step | processor time | largest memory | wall clock | load before |",
        "|---|---:|---:|---:|---:|",
        *(
            f"| {name} | {one['cpu_s']:.0f} s | {one['rss_mb']:,.0f} MB | {one['wall_s']:.0f} s | {one['load_before']:.0f} |"
            for name, one in reading["steps"].items()
        ),
        "",
        f"{reading['machine']}, {reading['version']}, {reading['date']}. `fas.open_run(DIR)` itself reads nothing.",
    ]


def _factor(ways: dict[str, Any]) -> list[str]:
    """What two workers do beside one that has one processor, without the loading of models, which each does once."""
    alone, two = ways.get("1 worker, 1 processor"), ways.get("2 workers")
    if alone is None or two is None:
        return []
    one_s, each_s = (_stages(found) / found["answers"] for found in (alone, two))
    rate = 2 * one_s / each_s
    return [
        f"Once loaded, two workers score {rate:.2f} times as many answers a second as one that is held to one processor ({1000 * one_s:,.0f} ms an answer; two take",
        f"{1000 * each_s:,.0f} ms each, at the same time). What is left of the clock is loading: one process takes both processors for its threads anyway, so",
        "on two of them several workers gain nothing on so few answers.",
    ]


def _stages(found: dict[str, Any]) -> float:
    return sum(seconds for stage, seconds in found["stages_s"].items() if stage != "total")


def _each(values: list[float]) -> str:
    return ", ".join(f"{value:.0f}" for value in values)


def stored(name: str) -> dict[str, Any] | None:
    """What a script stored; None if it has not."""
    path = HERE / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def pages() -> dict[Path, str]:
    """The page of the stored results."""
    many = stored("many")
    if many is None:
        raise SystemExit("nothing was measured yet: python -m benchmarks.scale.many FOLDER")
    return {HERE / "README.md": render(many, stored("growth"), stored("reading"))}


def main() -> None:
    write(pages())


if __name__ == "__main__":
    main()

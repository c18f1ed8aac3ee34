"""The tables of README.md from the stored results.

    python -m benchmarks.speed.page

Each script of this folder puts its rows into `results.jsonl` when it is run with `--store`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.stored import measured, read_rows, store_rows
from benchmarks.tables import filled, table, write

HERE = Path(__file__).parent
RESULTS = HERE / "results.jsonl"
PAGE = HERE / "README.md"

Rows = list[dict[str, Any]]


def pages(results: Path = RESULTS) -> dict[Path, str]:
    """The page with its tables made of the stored rows."""
    return filled(
        PAGE,
        {
            what: f"{measured(read_rows(results, what))}\n\n{make(read_rows(results, what))}"
            for what, make in TABLES.items()
        },
    )


def _reference(rows: Rows) -> str:
    cells = [
        (
            one["row"],
            one["n"],
            f"{one['medians']['package_ms']:.3g}",
            f"{one['medians']['ours_ms']:.3g}",
            f"**{one['medians']['ratio']:.1f}**",
            f"{one['lowest']:.1f} to {one['highest']:.1f} ({one['rounds']})",
        )
        for one in rows
    ]
    titles = (
        "metric",
        "pairs",
        "package, ms a pair",
        "ours, ms a pair",
        "times as fast",
        "lowest and highest round (rounds)",
    )
    return table(titles, cells, right=range(1, 5))


def _service(rows: Rows) -> str:
    (one,) = rows
    found, memory = one["medians"], one["memory_mib"]
    latency = found["latency_s"]
    cells = [
        ("new answers; clients, one answer a request", f"{one['n']}; {one['clients']}", ""),
        ("rate, times that of `fas score`, processor time", f"{found['rate_cpu']:.2f}", "at least 0.9"),
        ("the same by the clock, clients on the same cores", f"{found['rate']:.2f}", "at least 0.9"),
        ("lost, or another's answer", one["lost_or_wrong"], "0"),
        ("latency, 50 / 95 / 99 of 100", f"{latency['p50']:.1f} / {latency['p95']:.1f} / {latency['p99']:.1f} s", ""),
        (
            f"memory after the new answers, half and all of {one['requests_for_memory']:,} requests for known ones",
            f"{memory[0]:.0f}, {memory[len(memory) // 2]:.0f}, {memory[-1]:.0f} MiB",
            "flat",
        ),
    ]
    return table(("", "measured", "target"), cells, right=[1])


def _training(rows: Rows) -> str:
    cells = [
        (
            one["row"],
            f"{one['medians']['steps_per_s']:.1f}",
            f"{one['medians']['held_up_s_a_round']:.2f}" if one["row"] != "none" else "",
            f"{one['medians']['cpu_s']:.1f}",
        )
        for one in rows
    ]
    made = table(
        ("callback", "steps a second", "held up at an evaluation, s", "processor, s"), cells, right=range(1, 4)
    )
    return f"{rows[0]['rounds']} evaluations of {rows[0]['n']} answers in {rows[0]['steps']} steps.\n\n{made}"


def _reward(rows: Rows) -> str:
    (one,) = rows
    found = one["medians"]
    cells = [
        (f"{one['n']} new", f"{found['new_cpu_s']:.2f}", f"{found['new_s']:.2f}"),
        ("the same again", f"{found['known_cpu_s']:.3f}", f"{found['known_s']:.3f}"),
    ]
    return table(("completions of a step", "processor, s", "clock, s"), cells, right=(1, 2))


def _pipeline(rows: Rows) -> str:
    targets = {"profile mini": ("60", "5 times"), "profile base": ("25", "")}
    names = {
        "claims": "claims",
        "evidence": "evidence (ranking and splitting given passages)",
        "verify": "verification",
        "reference": "reference metrics",
        "safety": "safety",
        "rest": "loading, writing, intervals, report",
    }
    rates = []
    for one in rows:
        found, (cold, warm) = one["medians"], targets[one["row"]]
        runs = [", ".join(f"{seconds:.1f}" for seconds in one[key]) + " s" for key in ("cold_s", "warm_s")]
        rates += [
            (one["row"], one["n"], "cold", f"**{found['cold_per_min']:.0f}**", cold, runs[0]),
            ("", "", "again, warm", f"**{found['warm_per_min']:.0f}**, {found['warm_times']:.1f} times", warm, runs[1]),
        ]
    parts = [
        (name, *(f"{one['medians']['stages_ms'][key]:.0f} ({_share(one, key):.0f}%)" for one in rows))
        for key, name in names.items()
    ]
    return "\n\n".join(
        [
            table(
                ("", "answers of a run", "cache", "answers a minute", "target at least", "runs"), rates, right=(1, 3, 4)
            ),
            table(
                ("stage, cold, ms an answer (share)", *(one["row"] for one in rows)),
                parts,
                right=range(1, 1 + len(rows)),
            ),
        ]
    )


def _share(one: dict[str, Any], stage: str) -> float:
    spent = one["medians"]["stages_ms"]
    return 100 * spent[stage] / sum(spent.values())


def _verifier(rows: Rows) -> str:
    ways = {
        "fp32": "fp32",
        "bf16": "bfloat16",
        "int8": "torch's 8-bit linear layers",
        "pipeline": "transformers' pipeline, fp32",
    }
    cells = [
        (
            one["model"],
            one["tokens"],
            *(f"{one['medians'][way]['pairs_per_s']:.1f} ({one['medians'][way]['ratio']:.2f})" for way in ways),
            one["rounds"],
        )
        for one in rows
    ]
    return table(("model", "tokens a pair", *ways.values(), "rounds"), cells, right=range(1, 7))


def _side_by_side(rows: Rows) -> str:
    cells = [
        (
            one["row"],
            f"{one['medians']['pairs_per_s']:.1f}",
            f"{one['medians']['of_mini']:.2f}",
            one["n"],
            one["rounds"],
        )
        for one in rows
    ]
    return table(("verifier", "pairs a second", "times mini's", "pairs a round", "rounds"), cells, right=range(1, 5))


def _precision(rows: Rows) -> str:
    cells = [
        (
            one["version"],
            f"{one['medians']['same_labels']} of {one['medians']['labels']}",
            f"{one['medians']['largest_shift']:.4f}",
            f"{one['medians']['shift_of_the_mean']:.5f}",
        )
        for one in rows
    ]
    titles = (
        "version",
        "same labels (target 99.9%)",
        "FAS of an answer, at most (target 0.02)",
        "mean FAS (target 0.002)",
    )
    return table(titles, cells, right=range(1, 4))


TABLES: dict[str, Callable[[Rows], str]] = {
    "reference": _reference,
    "service": _service,
    "training": _training,
    "reward": _reward,
    "pipeline": _pipeline,
    "verifier": _verifier,
    "side_by_side": _side_by_side,
    "precision": _precision,
}


def store(rows: Rows, *, whole: bool = False) -> None:
    """Put *rows* into the stored results and the page (`benchmarks.stored.store_rows`)."""
    store_rows(RESULTS, rows, whole=whole)
    write(pages())


def main() -> None:
    """Write the page."""
    write(pages())


if __name__ == "__main__":
    main()

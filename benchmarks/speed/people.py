"""The page of the three measurements of scores where people work, from their stored results.

    python -m benchmarks.speed.people

Writes `SERVICE.md` from `scorer.json`, `service.json` and `training.json`.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.tables import write

HERE = Path(__file__).parent


def page(folder: Path = HERE) -> str:
    """The page as Markdown."""
    scorer, service, training = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8")) for name in ("scorer", "service", "training")
    )
    memory = service["memory_mib"]
    latency = service["latency_s"]
    lines = [
        "# Scores where people work",
        "",
        "Written by `python -m benchmarks.speed.people` from the stored results; the commands stand at the top of each script. On a machine of",
        "two cores that did other work at the same time (load averages are in each result), so processor time is the one to read.",
        "",
        "## Eight answers in a warm scorer (`scorer.py`)",
        "",
        "| answers | by the clock | by processor time | target |",
        "|---|---:|---:|---:|",
    ]
    for length, words in (("short", "30 words, one passage"), ("long", "150 words, five passages")):
        row = scorer[length]
        lines.append(f"| {words} | {row['ratio']:.2f} | {row['ratio_cpu']:.2f} | 1.2 |")
    lines += [
        "",
        "Times the share of eight answers in a run of "
        f"{scorer['short']['answers_of_the_long_run']} (long ones: {scorer['long']['answers_of_the_long_run']}), medians of "
        f"{len(scorer['short']['rounds'])} and {len(scorer['long']['rounds'])} rounds. A call with one answer of which everything is known takes "
        f"{scorer['short']['one_known_answer_cpu_ms']:.0f} ms of processor time.",
        "",
        "## `fas serve` under load (`service.py`)",
        "",
        f"{service['answers']} new answers from {service['clients']} clients at once, one answer a request, then "
        f"{service['requests_for_memory']:,} requests for known ones.",
        "",
        "| | measured | target |",
        "|---|---:|---:|",
        f"| rate, times that of `fas score` on the same answers, processor time | {service['rate_cpu']:.2f} | 0.9 |",
        f"| the same by the clock, clients on the same cores | {service['rate']:.2f} | 0.9 |",
        f"| lost, or another's answer | {service['lost_or_wrong']} | 0 |",
        f"| latency of a request, 50 / 95 / 99 of 100 | {latency['p50']:.1f} / {latency['p95']:.1f} / {latency['p99']:.1f} s | |",
        f"| memory after the new answers, after half and after all of the known | {memory[0]:.0f}, {memory[5]:.0f}, {memory[-1]:.0f} MiB | flat |",
        "",
        "All clients ask at once, so a latency is mostly the wait for those before.",
        "",
        "## In a training (`training.py`)",
        "",
        f"{training['rounds']} evaluations in {training['steps']} steps of a tiny model, {training['answers_a_round']} answers each.",
        "",
        "| callback | steps a second | held up at an evaluation, s | processor, s |",
        "|---|---:|---:|---:|",
    ]
    for way, name in (("without", "none"), ("thread", "in its thread"), ("in_the_way", "`background=False`")):
        row = training[way]
        held = "" if way == "without" else f"{row['held_up_s_a_round']:.2f}"
        lines.append(f"| {name} | {row['steps_per_s']:.1f} | {held} | {row['cpu_s']:.1f} |")
    reward = training["reward_32_completions"]
    lines += [
        "",
        f"The reward takes {reward['new_cpu_s']:.2f} s of processor time for a step of 32 new completions ({reward['new_s']:.2f} s by the clock), and "
        f"{reward['known_cpu_s']:.3f} s for 32 that it has seen.",
        "",
    ]
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """The page, of what is stored."""
    return {HERE / "SERVICE.md": page()}


def main() -> None:
    write(pages())


if __name__ == "__main__":
    main()

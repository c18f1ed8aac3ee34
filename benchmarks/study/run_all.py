"""Every real run within a budget of time, then the tables and the pages; the same command goes on after a stop.

    python -m benchmarks.study.run_all --out runs/study --budget-minutes 20

How many questions each experiment gets follows from how fast a few of them were: a small pilot is timed,
and the experiment takes as many questions as its part of the time left allows. The numbers are written
to plan.json and kept, so that a second call finishes the same runs. Without a budget, everything is run.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.study.common import ROOT, add_options, run, setting_from, tell
from benchmarks.study.experiments import EXPERIMENTS, Experiment, Setting
from benchmarks.study.report import write_pages

PILOT = 3
# Of the time, what tables, figures and the unforeseen take.
RESERVE = 0.2


def main(argv: Sequence[str] | None = None) -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Every real run within a budget of time.")
    add_options(parser)
    parser.add_argument("--budget-minutes", type=float, metavar="M", help="about so long; everything by default")
    parser.add_argument("--limit", type=int, help="so many questions of every experiment, instead of a budget")
    parser.add_argument("--no-ablations", action="store_true", help="take no parts out")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these experiments (all)")
    parser.add_argument("--docs", type=Path, default=ROOT / "benchmarks", help="folder of the pages (benchmarks)")
    options = parser.parse_args(argv)
    if options.budget_minutes is not None and options.limit is not None:
        parser.error("--budget-minutes and --limit both say how much to run; give one")
    options.ablations = not options.no_ablations
    if options.samples is None and options.budget_minutes is not None:
        # More questions say more than more samples of one model's answer to the same question.
        options.samples = 2
    chosen = [found for found in EXPERIMENTS if not options.only or found.name in options.only]
    plan_file = options.out / "plan.json"
    plan = _plan(plan_file, options)
    ends = time.monotonic() + 60 * (1 - RESERVE) * (options.budget_minutes or 0)
    for i, found in enumerate(chosen):
        if found.name not in plan["limits"]:
            setting = setting_from(options, options.limit)
            if options.budget_minutes is not None:
                share = found.weight / sum(later.weight for later in chosen[i:])
                seconds = _pilot(found, setting, options)
                limit = affordable(ends - time.monotonic(), share, seconds)
                tell(f"{found.name}: {seconds:.1f} s a question; {limit} questions")
                setting = replace(setting, limit=limit)
            plan["limits"][found.name] = setting.limit
            plan_file.write_text(json.dumps(plan, indent=1) + "\n", encoding="utf-8")
        result = run(found, setting_from(options, plan["limits"][found.name]), options)
        tell(f"{found.name}: {result['subset']['n_answers']} answers in {result['seconds']:.0f} s")
    for path in write_pages(options.out, options.docs):
        print(path)


def _plan(path: Path, options: argparse.Namespace) -> dict[str, dict[str, int | None]]:
    """The plan of an earlier call with the same options, or an empty one."""
    said = {"seed": options.seed, "samples": options.samples, "limit": options.limit, "profile": options.profile}
    said["gold_profile"] = options.gold_profile
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        plan = json.loads(path.read_text(encoding="utf-8"))
        if plan["options"] != said:
            raise SystemExit(f"{path}: begun with {plan['options']}, now {said}; give another folder with --out")
        return plan
    return {"options": said, "limits": {}}


def affordable(left: float, share: float, seconds: float) -> int:
    """How many questions of *seconds* each a *share* of the time *left* buys; at least one."""
    return max(1, int(left * share / seconds))


def _pilot(found: Experiment, setting: Setting, options: argparse.Namespace) -> float:
    """Seconds a question takes, without what every run takes whatever its size; at least a thousandth."""
    few = replace(setting, profile=setting.profile.override(n_resamples=10))

    def timed(limit: int) -> tuple[float, int]:
        options.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".pilot-", dir=options.out) as folder:
            pilot = argparse.Namespace(**{**vars(options), "out": Path(folder)})
            began = time.monotonic()
            result = run(found, replace(few, limit=limit), pilot, plots=False)
            seconds = time.monotonic() - began
        return seconds, result["subset"]["n_questions"]

    timed(1)  # loads the models
    fixed, _ = timed(1)  # reads the data and judges nothing, as judgements are kept
    seconds, n = timed(1 + PILOT)
    return max(1e-3, (seconds - fixed) / max(1, n - 1))


if __name__ == "__main__":
    main()

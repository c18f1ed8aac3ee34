"""Scores the same answers from a process that has loaded nothing, in the way its argument names; prints what came out.

Run by `test_cold_start.py`, as `python cold_start.py WAY`, so that every start is a cold one.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import fas

N_THREADS = 16
ANSWERS = [
    {
        "question": "What helps against a headache?",
        "prediction": f"Ibuprofen relieves headache in adults. Do not take more than 400 mg for {days} days.",
        "references": ["Ibuprofen helps against headache."],
        "passages": ["In a trial, ibuprofen was effective in relieving headache in adults."],
    }
    for days in (1, 2)
]


def score(_: object = None) -> str:
    """Everything that is scored, to the last bit."""
    report = fas.score_answers(ANSWERS, n_resamples=10)
    return json.dumps([answer.as_dict(5) for answer in report.answers], sort_keys=True)


def alone() -> list[str]:
    """Once, in the main thread."""
    return [score()]


def threads() -> list[str]:
    """In sixteen threads that begin together."""
    together = threading.Barrier(N_THREADS)

    def one(_: int) -> str:
        together.wait()
        return score()

    with ThreadPoolExecutor(N_THREADS) as pool:
        return list(pool.map(one, range(N_THREADS)))


def tasks() -> list[str]:
    """In eight tasks of asyncio, each handed to a thread."""

    async def gathered() -> list[str]:
        return await asyncio.gather(*(asyncio.to_thread(score) for _ in range(8)))

    return asyncio.run(gathered())


def _forked() -> list[str]:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("fork")) as pool:
        return list(pool.map(score, range(2)))


def fork() -> list[str]:
    """In the parent, then in two children forked from it, then in the parent again."""
    return [score(), *_forked(), score()]


def spawn() -> list[str]:
    """In the parent and in two spawned children."""
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [score(), *pool.map(score, range(2))]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(globals()[sys.argv[1]]()))

"""The inside of a process that scores chunks which another one sends it (`fas.pipeline.runs.processes`)."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import connection, parent_process
from typing import Any

from fas.core.errors import FasError, PartUnavailable
from fas.core.guards.redaction import remember_environment
from fas.core.profile import Profile
from fas.core.records.signature import Signature
from fas.pipeline import Pipeline
from fas.pipeline.runs.work import LocalWorker, WorkStats


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker needs to build its parts.

    Attributes:
        profile: The settings.
        has_passages: As for `Pipeline`.
        has_claims: As for `Pipeline`.
        offline: As for `Pipeline`.
        threads: Threads of torch.
    """

    profile: Profile
    has_passages: bool
    has_claims: bool
    offline: bool
    threads: int


@dataclass(frozen=True, slots=True)
class Ready:
    """What a worker says when it has loaded."""

    settings: Mapping[str, str]
    signature: Signature
    can_verify: bool
    stats: WorkStats


def serve(pipe: Any, plan: WorkerPlan, number: int = 0) -> None:
    """Load, say what was loaded, then send the records of every chunk that comes, until None does.

    Args:
        pipe: Where chunks come from and records go to.
        plan: What to build.
        number: Which of the machine's workers this is, from 0; they take turns with its cards.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    remember_environment()
    try:
        here = LocalWorker(open_worker(plan, number))
        pipe.send(Ready(here.settings, here.signature(0), here.can_verify, here.stats()))
        while (chunk := pipe.recv()) is not None:
            (records,) = here.score([chunk])
            pipe.send((records, here.stats()))
        here.pipeline.close()
    except Exception as error:
        with suppress(OSError):  # nobody is there any more
            pipe.send(make_portable(error))


def open_worker(plan: WorkerPlan, number: int = 0) -> Pipeline:
    """The pipeline of *plan*, on its share of the processors and, of several cards, on the one that is its turn."""
    import torch

    torch.set_num_threads(plan.threads)
    cards = torch.cuda.device_count()
    if cards > 1:
        torch.cuda.set_device(number % cards)
    return Pipeline(plan.profile, has_passages=plan.has_passages, has_claims=plan.has_claims, offline=plan.offline)


def make_portable(error: Exception) -> Exception:
    """*error*, or one of ours with its text if it cannot be sent to another process."""
    if isinstance(error, FasError | ValueError | LookupError | OSError):
        with suppress(Exception):
            pickle.loads(pickle.dumps(error))
            return error
    return PartUnavailable(f"{type(error).__name__}: {error}")


def end_with_parent() -> None:
    """End this process as soon as its parent is gone."""
    parent = parent_process()
    if parent is None:
        return
    sentinel = parent.sentinel

    def watch() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True, name="fas-parent").start()

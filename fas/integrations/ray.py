"""Scoring on a Ray cluster: answers of a file by `fas score --engine ray`, a Ray dataset by `score`.

The command's engine is a `WorkerPool` of Ray actors, not a dataset. The process that started the run owns the run
folder, so a killed run resumes from the ids on disk, answers keep their order, an actor's death costs one chunk, and a
failed block of a dataset cannot lose good answers. `score` is a `map_batches` over the user's dataset; Ray Data does
its reading, writing and checkpoints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import ray
import ray.data
from ray.exceptions import RayActorError, RayTaskError

from fas.core.answers.columns import ColumnMapping
from fas.core.answers.files import BadLine
from fas.core.answers.schema import to_answer
from fas.core.errors import InputError, PartUnavailable, RunStopped
from fas.core.parts.own import register_own_parts
from fas.core.profile import Profile, load_profile
from fas.core.records import Answer
from fas.pipeline import CHUNK, choose_evidence_source
from fas.pipeline.runs.tables import list_columns
from fas.pipeline.runs.work import Chunk, LocalWorker, Records, WorkStats
from fas.pipeline.runs.worker import Ready, WorkerPlan, open_worker
from fas.pipeline.runs.worker_pool import WorkerDiedError, WorkerPool, check_shareable, logger


class _Scorer:
    """The inside of an actor."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan

    def ready(self) -> Ready:
        # Not in the constructor, where an error would count as the death of the actor.
        here = self._here = LocalWorker(open_worker(self._plan))
        return Ready(here.settings, here.signature(0), here.can_verify, here.stats())

    def score(self, items: Chunk) -> tuple[Records, WorkStats]:
        (records,) = self._here.score([items])
        return records, self._here.stats()


class _Actor:
    """An actor; see `fas.pipeline.runs.worker_pool.PoolWorker`."""

    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def load(self) -> Any:
        return self._call(self.handle.ready)

    def score(self, items: Chunk) -> Any:
        return self._call(self.handle.score, items)

    def _call(self, method: Any, *given: Any) -> Any:
        try:
            return ray.get(method.remote(*given))
        except RayTaskError as error:
            raise _cause(error) from error
        except RayActorError as error:
            text = " ".join(str(error).split())
            raise WorkerDiedError(f"died ({text[:200]})") from error

    def kill(self) -> None:
        with suppress(Exception):
            ray.kill(self.handle)

    close = kill  # what it opened ends with its process


class Actors(WorkerPool):
    """The work of Ray actors; see `fas.pipeline.runs.worker_pool.WorkerPool`.

    Args:
        profile: The settings.
        jobs: Actors; by default as many as the cluster has room for.
        address: The cluster (`auto`, `HOST:PORT`, `ray://HOST:PORT`); by default one is started on this machine. Where
            the process is connected already, that connection is used.
        cpus: Processors of an actor, also fractions.
        gpus: GPUs of an actor, also fractions; by default one if the cluster has any.
        has_passages: As for `Pipeline`.
        has_claims: As for `Pipeline`.
        offline: As for `Pipeline`.

    Raises:
        ProfileError: The run cannot be shared.
        RunStopped: The cluster has no room for a single actor, or cannot be reached.
    """

    what = "Ray actor"
    loads = 4
    patience = 60.0

    def __init__(
        self,
        profile: Profile,
        *,
        jobs: int | None = None,
        address: str | None = None,
        cpus: float = 1.0,
        gpus: float | None = None,
        has_passages: bool,
        has_claims: bool = False,
        offline: bool = False,
    ) -> None:
        check_shareable(profile, has_passages=has_passages)
        self._ours = not ray.is_initialized()
        if self._ours:
            connect(address)
        found = ray.cluster_resources()
        self._needs = {"CPU": cpus, "GPU": (1.0 if found.get("GPU") else 0.0) if gpus is None else gpus}
        room = room_for(self._needs, found)
        if not room:
            raise RunStopped(
                f"an actor needs {_format(self._needs)}, the cluster has {_format(found)}: lower its needs or add nodes"
            )
        if jobs is not None and jobs > room:
            logger.warning("the cluster has room for %d actors of %s now; more start when it grows", room, jobs)
        super().__init__(WorkerPlan(profile, has_passages, has_claims, offline, max(1, int(cpus))), jobs or room)
        # An actor that dies is not started again by Ray, which would give it the same answers without end.
        self._remote = ray.remote(
            num_cpus=self._needs["CPU"], num_gpus=self._needs["GPU"], max_restarts=0, max_task_retries=0
        )(_Scorer)

    def __exit__(self, kind: object, *rest: object) -> None:
        super().__exit__(kind, *rest)
        if self._ours:
            ray.shutdown()

    def start(self, number: int) -> _Actor:
        """Ask for an actor."""
        return _Actor(self._remote.remote(self.plan))

    def warn_waiting(self) -> None:
        """Say what the cluster lacks."""
        shown = map(_format, (self._needs, ray.cluster_resources(), ray.available_resources()))
        logger.warning(
            "no actor was free for %.0f s; an actor needs %s, the cluster has %s, of which free: %s",
            self.patience,
            *shown,
        )


def connect(address: str | None) -> None:
    """Connect to the cluster at *address*, or start one on this machine.

    Raises:
        RunStopped: It cannot be reached.
    """
    try:
        ray.init(address=address, log_to_driver=False, **({} if address else {"include_dashboard": False}))
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise RunStopped(f"the Ray cluster at {address or 'this machine'} cannot be reached: {error}") from error


def room_for(needs: Mapping[str, float], found: Mapping[str, float]) -> int:
    """How many actors with these *needs* fit into the resources *found*, as if on one node.

    >>> room_for({"CPU": 1.0, "GPU": 0.5}, {"CPU": 8.0, "GPU": 2.0}), room_for({"CPU": 1.0}, {"CPU": 0.5})
    (4, 0)
    """
    return min((math.floor(found.get(name, 0.0) / n + 1e-9) for name, n in needs.items() if n), default=0)


def _format(resources: Mapping[str, float]) -> str:
    return ", ".join(
        f"{resources.get(name, 0):g} {name}" for name in ("CPU", "GPU") if name == "CPU" or resources.get(name)
    )


def _cause(error: Exception) -> Exception:
    """Our error behind Ray's."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, Exception) else PartUnavailable(str(error))


class _Rows:
    """What `map_batches` calls: a pipeline that turns rows into rows."""

    def __init__(self, plan: WorkerPlan, columns: Mapping[str, str] | None) -> None:
        self._here = LocalWorker(open_worker(plan))
        self._columns = ColumnMapping(columns)
        self._numbers = count(1)

    def __call__(self, batch: Mapping[str, Any]) -> dict[str, list[Any]]:
        names = list(batch)
        rows = [dict(zip(names, values, strict=True)) for values in zip(*batch.values(), strict=True)]
        items = [self._item(row) for row in rows]
        (records,) = self._here.score([items])
        for record, row in zip(records, rows, strict=True):
            # An error record of a row keeps the row's id, where it has one.
            if record["error"] is not None and row.get("id") is not None:
                record["id"] = str(row["id"])
        return list_columns(records, self._here.k)

    def _item(self, row: Mapping[str, Any]) -> Answer | BadLine:
        number = next(self._numbers)
        try:
            plain = {name: _plain(value) for name, value in self._columns.apply(row).items()}
            if plain.get("id") is None:
                raise InputError(
                    "row without an id; rows of a dataset have no numbers, so give each an `id`", kind="id"
                )
            given = {name: value for name, value in plain.items() if value is not None or name == "prediction"}
            return to_answer(given, line=number, where=f"row {plain['id']}", number=number)
        except InputError as error:
            return BadLine(InputError(str(error), kind=error.kind, line=number, field=error.field))


def _plain(value: Any) -> Any:
    """*value* with lists in place of arrays and Python's numbers in place of numpy's."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items() if one is not None}
    return value


def score(
    dataset: Any,
    *,
    profile: str | Path | Profile = "mini",
    evidence: str | None = None,
    columns: Mapping[str, str] | None = None,
    concurrency: int | tuple[int, int] | None = None,
    cpus: float = 1.0,
    gpus: float = 0.0,
    has_claims: bool = False,
    offline: bool = False,
    **overrides: Any,
) -> Any:
    """Score a Ray dataset: one loaded pipeline an actor, a row of scores for every row, lazily.

    A row that cannot be scored is a row with an `error`; none is dropped. A small file is one block, and a
    block goes to one actor: `dataset.repartition(target_num_rows_per_block=500)` spreads it.

    Args:
        dataset: Rows with the fields of an answer; `id` and `prediction` are needed.
        profile: Name of a built-in profile, path of a TOML file, or a `Profile`.
        evidence: As for `fas.score_answers`; `passages` by default.
        columns: Field to the column it is read from.
        concurrency: Actors, or least and most; by default up to what the cluster has room for, less one processor for
            reading and writing and, with a checkpoint, another.
        cpus: Processors of an actor.
        gpus: GPUs of an actor.
        has_claims: Rows may carry `claims`; only for the signature.
        offline: Refuse evidence that needs the network.
        **overrides: Settings of `Profile`.

    Returns:
        A dataset with the columns `id`, the metrics, `n_claims`, `n_unverified`, `error`, and `record`, the line of
        `scores.jsonl`.

    Raises:
        ValueError: An impossible setting.
        RunStopped: The cluster has no room for the actors, which would otherwise wait without end.
    """
    settings = load_profile(profile).override(evidence=evidence or "passages", **register_own_parts(overrides))
    check_shareable(settings, has_passages=True)
    choose_evidence_source(settings, has_passages=True)
    if not ray.is_initialized():
        connect(None)
    found = ray.cluster_resources()
    # Ray Data's own tasks want one, and the actor that looks up a checkpoint another.
    reserved = 2 if ray.data.DataContext.get_current().checkpoint_config is not None else 1
    room = room_for({"CPU": cpus, "GPU": gpus}, {**found, "CPU": found.get("CPU", 0.0) - reserved})
    if room < (concurrency[0] if isinstance(concurrency, tuple) else concurrency or 1):
        raise RunStopped(
            f"{concurrency or 1} actors of {cpus:g} CPU do not fit beside Ray Data's own tasks, which need {reserved}: "
            f"the cluster has {_format(found)}; take fewer, or fractions (cpus=0.5)"
        )
    plan = WorkerPlan(settings, True, has_claims, offline, max(1, int(cpus)))
    return dataset.map_batches(
        _Rows,
        fn_constructor_args=(plan, columns),
        batch_size=CHUNK,
        batch_format="numpy",
        num_cpus=cpus,
        num_gpus=gpus,
        concurrency=concurrency or (1, room),
    )

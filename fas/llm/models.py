"""Models by name: one object per model and settings, so that limits, budget and totals are shared."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from fas.core.cache import content_key
from fas.llm.dryrun import DryRun, RecordingModel
from fas.llm.endpoint import require_package
from fas.llm.local import LocalModel
from fas.llm.remote import RemoteModel
from fas.llm.usage_tracker import Usage

Model = RemoteModel | LocalModel

_KINDS: dict[str, type[RemoteModel] | type[LocalModel]] = {"openai": RemoteModel, "transformers": LocalModel}
# What a model reads from the environment, so that another value gives another object.
_VARIABLES = ("OPENAI_BASE_URL", "FAS_CACHE_DIR", "FAS_PRICES")

_lock = threading.RLock()
_models: dict[tuple[Any, ...], Model] = {}
_defaults: dict[str, Any] = {}


def get_model(name: str, options: Mapping[str, Any]) -> Model | RecordingModel:
    """The object for these arguments; see `fas.llm.chat_model`."""
    kind, colon, rest = name.partition(":")
    if not colon or kind not in _KINDS:
        # Names with a colon of their own, as `llama3.1:8b`, are names of models.
        kind, rest = "openai", name
    if not rest.strip():
        raise ValueError(f"{name!r} names no model; write openai:MODEL or transformers:FOLDER")
    allowed = list(inspect.signature(_KINDS[kind]).parameters)[1:]
    unknown = sorted(set(options) - {*allowed, "dry_run"})
    if unknown:
        raise ValueError(f"language model {name!r} has no option {unknown[0]!r}; allowed: {', '.join(allowed)}")
    given = {**{key: value for key, value in _defaults.items() if key in {*allowed, "dry_run"}}, **options}
    dry_run: DryRun | None = given.pop("dry_run", None)
    if kind == "openai" and dry_run is None and not given.get("offline"):
        # A dry run sends nothing, and offline everything comes from the cache.
        require_package()
    with _lock:
        key = (os.getpid(), kind, rest, _read_environment(given), _freeze(given))
        if key not in _models:
            _models[key] = _KINDS[kind](rest, **given)
        model = _models[key]
    return model if dry_run is None else dry_run.model(model)


@contextmanager
def run_defaults(**options: Any) -> Iterator[None]:
    """Within the block, options of every new model whose caller gives no other.

    A command line sets `budget`, `offline` or `dry_run` (a `DryRun`) for a whole run this way. Options that a back end
    lacks are left out.
    """
    with _lock:
        before = dict(_defaults)
        _defaults.update(options)
    try:
        yield
    finally:
        with _lock:
            _defaults.clear()
            _defaults.update(before)


def total_usage() -> dict[str, Usage]:
    """Totals of every model made in this process, by signature."""
    totals: dict[str, Usage] = {}
    with _lock:
        for model in _models.values():
            known = totals.get(model.signature)
            totals[model.signature] = model.usage() if known is None else known + model.usage()
    return totals


def _read_environment(options: Mapping[str, Any]) -> tuple[str | None, ...]:
    # Keys only as hashes: this tuple may end up in a traceback.
    key = os.environ.get(str(options.get("key_env", "OPENAI_API_KEY")))
    return (*(os.environ.get(name) for name in _VARIABLES), content_key(key) if key else None)


def _freeze(value: Any) -> Any:
    """*value* as a key; objects that are not plain data count by identity."""
    if isinstance(value, Mapping):
        return tuple((key, _freeze(item)) for key, item in sorted(value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(_freeze, value))
    # 1, 1.0 and True are equal, but different settings.
    return type(value).__name__, value if isinstance(value, str | int | float | None) else id(value)

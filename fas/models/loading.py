"""Loading models: without noise on the terminal, with words for what can go wrong, and with a name for the weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from fas.core.loading import loading, track_loading
from fas.models.paths import EMBEDDED

_HUB_SECONDS = 20.0
_NO_LIMIT = 1_000_000  # tokenizers without a known limit state numbers like 1e30


@contextmanager
def quiet_loading(name: str, *, offline: bool = False) -> Iterator[None]:
    """Alone among all threads, and without transformers' progress bars and reports, load the model *name*.

    Every loading call forbids code of the checkpoint's own, and reads weights from safetensors only: a pickle can
    run code, too. *offline*: nothing is asked of the hub here; the caller loads from its cache on disk only.

    Raises:
        LookupError: There is no such model here, and the hub cannot be reached or has none; or it needs code of its
            own, or has no safetensors.
    """
    if Path(name).is_dir() and not (Path(name) / "config.json").is_file():
        raise LookupError(f"model {name!r}: the folder has no config.json, so it holds no checkpoint")
    with loading(), track_loading(f"loading {Path(name).name}"), _load_quietly(name):
        if not offline:
            _ask_once(name)
        yield


def _ask_once(name: str) -> None:
    """One question to the hub for a model of which nothing is on disk; loading would ask five times and wait."""
    if name in EMBEDDED or Path(name).is_dir():
        return
    from huggingface_hub import HfApi, constants, try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        known = isinstance(try_to_load_from_cache(name, "config.json"), str)
        if not (known or constants.HF_HUB_OFFLINE):
            HfApi().model_info(name, timeout=_HUB_SECONDS)
    except HFValidationError as error:
        raise OSError(f"{name!r} is not a hub name") from error
    except OSError:
        raise
    except Exception as error:  # the client's own errors of the network are no OSError
        raise OSError(f"{type(error).__name__}: {error}") from error


@contextmanager
def _load_quietly(name: str) -> Iterator[None]:
    from transformers.utils import logging

    was_enabled = logging.is_progress_bar_enabled()
    verbosity = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    except ValueError as error:
        if "trust_remote_code" not in str(error):
            raise
        raise LookupError(
            f"model {name!r}: it needs its own code, which fas never runs; only architectures that "
            "transformers knows are loaded"
        ) from error
    except OSError as error:  # what transformers raises for everything it cannot find or fetch
        if Path(name).is_dir() or name in EMBEDDED:
            reason = f"its files cannot be loaded: {error}"
            if not any(Path(name).glob("*.safetensors")) and any(Path(name).glob("*.bin")):
                reason += ". Weights are read from safetensors only, as pickles can run code: save it anew with a "
                reason += "recent transformers (`save_pretrained`)"
        else:
            reason = (
                f"not an embedded model ({', '.join(sorted(EMBEDDED))}), not a folder, not in the hub's local cache, "
                f"and the hub did not give it: {str(error).splitlines()[0]}"
            )
        raise LookupError(f"model {name!r}: {reason}") from error
    finally:
        logging.set_verbosity(verbosity)
        if was_enabled:
            logging.enable_progress_bar()


# Weights, configuration, and the tokenizer's files of every kind: JSON, word lists and merges, SentencePiece.
_IDENTITY_FILES = ("*.safetensors", "*.bin", "*.json", "*.txt", "*.model")


def weights_identity(location: str, config: Any) -> str:
    """The hash of a folder or the revision of a hub model, which differs for other weights of the same name."""
    folder = Path(location)
    if not folder.is_dir():
        return str(getattr(config, "_commit_hash", None) or "unknown revision")
    paths = tuple(path for pattern in _IDENTITY_FILES for path in sorted(folder.glob(pattern)))
    return _hash_files(paths, tuple((stat.st_size, stat.st_mtime_ns) for stat in map(Path.stat, paths)))


@lru_cache(maxsize=16)
def _hash_files(paths: tuple[Path, ...], _state: tuple[tuple[int, int], ...]) -> str:
    """The hash of the files' names and contents, computed again when a size or a time has changed."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode())
        with path.open("rb") as data:
            while block := data.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()[:16]


def location_identity(location: str) -> str:
    """`weights_identity` of the model at *location*; the configuration is read only where there is no folder."""
    if Path(location).is_dir():
        return weights_identity(location, None)
    with loading():
        from transformers import AutoConfig

    return weights_identity(location, AutoConfig.from_pretrained(location, trust_remote_code=False))


def pin_version(signature: str, identity: str) -> str:
    """*signature* with a pin of the weights: embedded models carry a version, others get part of their hash."""
    return signature if "@" in signature or " " in identity else f"{signature}@{identity[:8]}"


def position_limit(model: Any) -> int | None:
    """The most tokens, special ones included, that *model* has positions for; None without a table of positions.

    Less than `max_position_embeddings` says where positions are counted from the padding index (RoBERTa, MPNet).
    Models with relative positions only have no table.
    """
    table = _find_position_table(model)
    if table is None:
        return None
    return int(table.num_embeddings) - (0 if table.padding_idx is None else int(table.padding_idx) + 1)


def token_limit(tokenizer: Any, model: Any) -> int:
    """How many tokens, special ones included, *model* can read at once.

    The smaller of the tokenizer's limit and the number of positions. The first may be unset or too high. Models with
    relative positions only have the tokenizer's limit, or the number in their configuration.
    """
    stated = tokenizer.model_max_length
    limits = [int(stated)] if 0 < stated < _NO_LIMIT else []
    positions = position_limit(model)
    if positions is not None:
        limits.append(positions)
    elif not limits:
        config = model.config
        configured = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None)
        limits.append(int(configured or 512))
    return min(limits)


def first_position(model: Any) -> int:
    """The row of *model*'s table of positions that the first token of a text has; 0 without a table."""
    table = _find_position_table(model)
    return 0 if table is None or table.padding_idx is None else int(table.padding_idx) + 1


def _find_position_table(model: Any) -> Any:
    import torch

    for name, module in model.named_modules():
        if name.rsplit(".", 1)[-1] in ("position_embeddings", "wpe", "embed_positions") and isinstance(
            module, torch.nn.Embedding
        ):
            return module
    return None

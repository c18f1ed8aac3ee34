"""Where the embedded models lie."""

from __future__ import annotations

from pathlib import Path

VERSIONS = {"fas-en-mini": "3", "fas-encoder-mini": "1", "fas-nli-base": "2", "fas-nli-mini": "15"}
EMBEDDED = {name: name.replace("-", "_") for name in VERSIONS}
"""Embedded models and their folders."""


def model_folder(name: str) -> Path:
    """The folder of an embedded model; a LookupError where there is none of that name, or its files are missing."""
    if name not in EMBEDDED:
        raise LookupError(f"no embedded model {name!r}; available: {', '.join(sorted(EMBEDDED))}")
    folder = Path(__file__).resolve().parent / EMBEDDED[name]
    if not folder.is_dir():
        raise LookupError(f"the files of {name!r} are missing from {folder}; install the package again")
    return folder


def resolve_model(name: str | Path) -> tuple[str, str]:
    """What to load for *name*, and what to call it in a signature.

    The folder of an embedded model or *name* itself (a hub name or a folder), and `NAME@VERSION` for embedded models,
    else the last part of a folder or the hub name.
    """
    text = str(name)
    if text in EMBEDDED:
        return str(model_folder(text)), f"{text}@{VERSIONS[text]}"
    if Path(text).is_dir():
        return text, Path(text).resolve().name
    return text, text

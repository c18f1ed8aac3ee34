"""Data sets that `datasets` saved in a folder (`save_to_disk`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.loading import import_extra

_SPLITS = "dataset_dict.json"


def is_saved(folder: Path) -> bool:
    """Whether `datasets` saved *folder*: a data set, or one of several splits."""
    whole = (folder / "state.json").is_file() and (folder / "dataset_info.json").is_file()
    return whole or (folder / _SPLITS).is_file()


def open_saved(folder: Path, name: str) -> Any:
    """The data set in *folder*, which messages call *name*.

    Raises:
        InputError: It is another folder, one of several splits, or cannot be read.
    """
    if (folder / _SPLITS).is_file():
        splits = sorted(part.parent.name for part in folder.glob("*/state.json"))
        raise InputError(
            f"{name}: a data set of several splits ({', '.join(splits)}); give one of them, e.g. "
            f"{folder / (splits[0] if splits else 'train')}",
            kind="splits",
        )
    if not is_saved(folder):
        raise InputError(f"{name}: is a folder, not a file", kind="missing_file")
    load_from_disk = import_extra("datasets", "evaluate").load_from_disk

    try:
        return load_from_disk(str(folder))
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: not a readable data set: {error}", kind="dataset") from error

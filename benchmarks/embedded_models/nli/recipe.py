"""A recipe: what a model is made of, and where each stage of making it lies.

A stage's folder is named by a hash of its part of the configuration, of the code that makes it, and of the folders it is
made from. So a run that was interrupted goes on, one whose recipe, code or data changed begins where it has to, and a
folder is never out of date.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def text_hash(value: object) -> str:
    """Twelve hexadecimal digits of the SHA-256 of *value* as JSON with sorted keys."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]


def files_hash(files: Iterable[Path]) -> str:
    """The same of the names and contents of *files*, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(files, key=lambda path: path.name):
        digest.update(path.name.encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


@dataclass(frozen=True)
class Recipe:
    """A recipe as its TOML file says it.

    Attributes:
        config: The whole of it.
    """

    config: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """The recipe in *path*.

        Raises:
            ValueError: A part that every recipe has is missing.
        """
        config = tomllib.loads(path.read_text(encoding="utf-8"))
        missing = {"name", "seed", "trunk", "training", "hold", "decay", "mixture"} - config.keys()
        if missing:
            raise ValueError(f"{path}: no {', '.join(sorted(missing))}")
        return cls(config)

    def __getitem__(self, part: str) -> Any:
        return self.config[part]

    def counts(self, stage: str) -> dict[str, int]:
        """How many pairs of each set an epoch of *stage* ("hold" or "decay") has."""
        column = ("hold", "decay").index(stage)
        return {name: own[column] for name, own in self.config["mixture"].items() if own[column] > 0}


def stage_folder(out: Path, name: str, config: object, code: Iterable[str], inputs: Iterable[str]) -> Path:
    """The folder of a stage below *out*, which is made if need be.

    Args:
        out: Where all stages lie.
        name: The stage's.
        config: What of the recipe it depends on.
        code: Files of this folder that make it.
        inputs: Names of the folders it is made from, or hashes of files.
    """
    key = text_hash([config, files_hash(HERE / file for file in code), list(inputs)])
    folder = out / f"{name}-{key}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder

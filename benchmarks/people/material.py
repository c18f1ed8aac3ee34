"""A judged set: rows to score, and units that people judged."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Unit(NamedTuple):
    """Something that people judged.

    Attributes:
        cluster: What units of one question share.
        plus: Id of the row whose metrics count.
        gold: Name of a judgement to its value, the larger the better; a judgement that was not given is not there.
        minus: Id of the row that is compared with it: a metric is then the difference of the two, and gold says how
            much better the first is.
    """

    cluster: str
    plus: str
    gold: Mapping[str, float]
    minus: str | None = None


class Material(NamedTuple):
    """A set, read.

    Attributes:
        rows: Input of `fas score`, by id.
        units: What people judged.
    """

    rows: Mapping[str, Mapping[str, Any]]
    units: Sequence[Unit]


class JudgedSet(NamedTuple):
    """A set by name.

    Attributes:
        name: In the tables.
        level: `answer` or `claim`: what people judged.
        title: What people judged, in a sentence.
        read: Reads it from the data folder.
        limit: Units that are scored unless another number is asked for.
        settings: Of the run, beside the default ones.
        most: Units that are taken of one question (premise, topic); None for all of them.
    """

    name: str
    level: str
    title: str
    read: Callable[[Path], Material]
    limit: int
    settings: Mapping[str, Any]
    most: int | None = None


def drawn(material: Material, n: int, seed: int, most: int | None = None) -> Material:
    """Clusters in random order, at most *most* units of each, until there are *n*; and the rows that they need."""
    names = sorted({unit.cluster for unit in material.units})
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(names))
    by: dict[str, list[Unit]] = {}
    for unit in material.units:
        by.setdefault(unit.cluster, []).append(unit)
    kept: list[Unit] = []
    for i in order:
        if len(kept) >= n:
            break
        own = by[names[i]]
        kept += own if most is None else [own[place] for place in sorted(rng.permutation(len(own))[:most])]
    needed = {name for unit in kept for name in (unit.plus, unit.minus) if name is not None}
    return Material({name: row for name, row in material.rows.items() if name in needed}, kept)


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """JSON Lines, packed or not."""
    with _open(path) as source:
        for line in source:
            if line.strip():
                yield json.loads(line)


def table(path: Path) -> Iterator[dict[str, str]]:
    """Tab-separated values with a header, packed or not."""
    with _open(path) as source:
        yield from csv.DictReader(source, delimiter="\t")


def _open(path: Path) -> Any:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8", newline="")
    return path.open(encoding="utf-8", newline="")

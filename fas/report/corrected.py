"""What labels have corrected of a run (`fas labels adjust`), as its report shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.core.files.own import REPORT, write_json
from fas.core.records.signature import Signature
from fas.report.tables import limits, number
from fas.results import read_object

NAMES = ("adjusted.json", "adjusted_statements.json")
"""Files of corrected figures in a result folder: by labels of claims, and of statements."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """Corrected figures of a run.

    Attributes:
        figures: Name to the entry that `fas labels adjust` wrote.
        sources: Labels that they are by, as signatures name them.
        notes: What a reader must know, stale files among it.
    """

    figures: Mapping[str, Mapping[str, Any]]
    sources: tuple[str, ...]
    notes: tuple[str, ...]

    def headline(self, name: str) -> str:
        """The corrected figure *name* in a few words; empty where there is none."""
        one = self.figures.get(name)
        if one is None or one["adjusted"]["mean"] is None:
            return ""
        return f"{number(one['adjusted']['mean'])} {limits(one['adjusted'])} by {one['n_labels']} labels"


def read_corrected(folder: Path, signature: str) -> Corrected:
    """Corrected figures in *folder* for the run with *signature*; empty if there are none.

    Figures of another run of the folder (more answers, another verifier) are left out, with a note.

    Raises:
        InputError: A file is there and cannot be read.
    """
    figures: dict[str, Mapping[str, Any]] = {}
    sources, notes = [], []
    for path in (folder / name for name in NAMES):
        if not path.is_file():
            continue
        try:
            found = read_object(path)
            fields = {} if found["signature"] is None else dict(Signature.parse(found["signature"]).fields)
            labels = fields.pop("labels", "")
            if fields != dict(Signature.parse(signature).fields):
                notes.append(f"{path.name} is of another run than this one: give `fas labels adjust` again")
                continue
            figures.update(found["figures"])
            sources.append(labels)
            notes += found["notes"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path}: not what `fas labels adjust` writes: {error}", kind="json") from error
    return Corrected(figures, tuple(sources), tuple(notes))


def write_into_report(folder: Path, corrected: Corrected) -> None:
    """Put the corrected figures into the folder's `report.json`, under `adjusted`, beside the raw ones.

    Raises:
        OSError: It cannot be written.
    """
    path = folder / REPORT
    report = read_object(path)
    report["adjusted"] = {"labels": list(corrected.sources), "figures": dict(corrected.figures)}
    write_json(path, report)

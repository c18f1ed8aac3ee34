"""What models are here: those of the package, and the trunks that are fetched."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from safetensors import SafetensorError, safe_open

from fas.models.difference import Kept
from fas.models.paths import EMBEDDED, VERSIONS
from fas.models.trunks import short_name, trunks


class Entry(NamedTuple):
    """One model: its bytes on disk (of a trunk that is not here, of its weights), "whole" or what is wrong, and its
    folder.
    """

    name: str
    kind: str
    size: int
    state: str
    place: str


def inventory() -> list[Entry]:
    """Every model by name; the files of trunks are read and compared with their SHA-256, which takes a second each."""
    here = Path(__file__).resolve().parent
    found = [_describe_embedded(name, here / folder) for name, folder in EMBEDDED.items()]
    for trunk in trunks().values():
        problems = trunk.problems()
        state = "whole" if not problems else f"{'; '.join(problems)}: fas models get {short_name(trunk.name)}"
        size = _measure_folder(trunk.place) or trunk.size
        found.append(Entry(trunk.name, "trunk", size, state, str(trunk.place)))
    return found


def _describe_embedded(name: str, folder: Path) -> Entry:
    label = f"{name}@{VERSIONS[name]}"
    broken = [path.name for path in sorted(folder.rglob("*.safetensors")) if not _is_whole(path)]
    if not folder.is_dir():
        state = "missing: install the package again"
    elif broken:
        state = f"{', '.join(broken)} is cut off: install the package again"
    else:
        state = "whole"
        kept = Kept.at(str(folder))
        if kept is not None and not kept.is_whole:
            state = "its weights are a package of their own: pip install 'fact-aligned-score[base]'"
        elif kept is not None and not trunks()[kept.trunk].is_there:
            state = f"whole, but its trunk {kept.trunk} is not here"
    return Entry(label, "embedded", _measure_folder(folder), state, str(folder))


def _measure_folder(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _is_whole(path: Path) -> bool:
    """Whether a safetensors file is as long as its header says, which opening it checks."""
    try:
        with safe_open(path, framework="numpy"):
            return True
    except SafetensorError:
        return False

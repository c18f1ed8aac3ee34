"""Name, version and licence of every package that fact-aligned-score needs, as installed here.

    python benchmarks/licences.py [EXTRA,EXTRA]

A package states its licence as an expression, a text or classifiers; the script prints the first of them, and the version
that `constraints.txt` pins if that is another or none. Then the exit code is 1.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

_UNPINNED = ("fact-aligned-score", "setuptools")


def needed(
    name: str, extras: frozenset[str], found: dict[str, Distribution | None], seen: set[tuple[str, str]]
) -> None:
    """Add *name* and its requirements to *found*; None for a package that is not installed."""
    own = None
    with suppress(PackageNotFoundError):
        own = distribution(name)
    found[name] = own
    for extra in ("", *extras):
        if own is None or (name, extra) in seen:
            continue
        seen.add((name, extra))
        for line in own.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
                needed(requirement.name.lower().replace("_", "-"), frozenset(requirement.extras), found, seen)


def licence(own: Distribution) -> str:
    """The licence that *own* states, on one line."""

    def said(field: str) -> list[str]:
        return list(own.metadata.get_all(field, ()))

    classifiers = [line.rpartition(" :: ")[2] for line in said("Classifier") if "License" in line]
    told = [*said("License-Expression"), ", ".join(classifiers), *said("License"), "not said"]
    return next(line.strip().split("\n")[0] for line in told if line.strip())


def pinned(constraints: Path) -> dict[str, str]:
    """Package to the version that *constraints* pins for this Python."""
    lines = (line.partition("#")[0].strip() for line in constraints.read_text(encoding="utf-8").splitlines())
    all_pins = [Requirement(line) for line in lines if line]
    here = [one for one in all_pins if one.marker is None or one.marker.evaluate()]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in here}


def main() -> int:
    """Print the table; 1 where a version is not the pinned one."""
    found: dict[str, Distribution | None] = {}
    extras = frozenset(sys.argv[1].split(",")) if len(sys.argv) > 1 else frozenset()
    needed("fact-aligned-score", extras, found, set())
    pins = pinned(Path(__file__).parents[1] / "constraints.txt")
    differ = 0
    for name, own in sorted(found.items()):
        version = "" if own is None else own.version
        pin = pins.get(canonicalize_name(name))
        # A version of a build (2.13.0+cpu) is that of the package; the package itself and setuptools are not pinned.
        told = own is None or name in _UNPINNED or pin == version.partition("+")[0]
        differ += not told
        note = "" if told else f" ({f'pinned: {pin}' if pin else 'not pinned'})"
        print(f"{name:32} {version:14} {'not installed' if own is None else licence(own)}{note}")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())

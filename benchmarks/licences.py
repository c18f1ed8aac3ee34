"""Name, version and licence of every package that fact-aligned-score needs, as installed here.

    python benchmarks/licences.py [EXTRA,EXTRA]

A package says its licence as an expression, as a text, or by classifiers; the first that is there is printed.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement


def needed(
    name: str, extras: frozenset[str], found: dict[str, Distribution | None], seen: set[tuple[str, str]]
) -> None:
    """Add *name* and what it needs to *found*; None for what is not installed."""
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
    """What *own* says of its licence, on one line."""

    def said(field: str) -> list[str]:
        return list(own.metadata.get_all(field, ()))

    classifiers = [line.rpartition(" :: ")[2] for line in said("Classifier") if "License" in line]
    told = [*said("License-Expression"), ", ".join(classifiers), *said("License"), "not said"]
    return next(line.strip().split("\n")[0] for line in told if line.strip())


def main() -> None:
    """Print the table."""
    found: dict[str, Distribution | None] = {}
    extras = frozenset(sys.argv[1].split(",")) if len(sys.argv) > 1 else frozenset()
    needed("fact-aligned-score", extras, found, set())
    for name, own in sorted(found.items()):
        print(f"{name:32} {'' if own is None else own.version:14} {'not installed' if own is None else licence(own)}")


if __name__ == "__main__":
    main()

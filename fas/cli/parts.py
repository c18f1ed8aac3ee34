"""`fas parts`: which claim extractors, evidence sources and verifiers there are."""

from __future__ import annotations

import argparse
import json


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("parts", help="list the parts a profile can name")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the registries; returns the exit code."""
    from fas.parts import detectors, extractors, retrievers, verifiers

    kinds = {"claims": extractors, "evidence": retrievers, "verify": verifiers, "detect": detectors}
    listing = {kind: dict(registry.describe()) for kind, registry in kinds.items()}  # type: ignore[attr-defined]
    if options.json:
        print(json.dumps(listing, indent=2))
        return 0
    for kind, parts in listing.items():
        print(f"{kind}:")
        for name, where in parts.items():
            print(f"  {name:12} {where}")
    return 0

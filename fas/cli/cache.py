"""`fas cache`: what is kept on disk, and how to be rid of it."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

_EXAMPLE = """\
examples:
  fas cache info
  fas cache clear entrez       forget PubMed's answers, so that the next run asks again
  fas cache clear --all

The folder is that of FAS_CACHE_DIR, or the user's cache folder.
"""


def add_parser(subparsers: Any) -> None:
    """Add `cache` to the commands of `fas`."""
    parser = subparsers.add_parser(
        "cache",
        help="show or clear what is kept on disk",
        description="Show or clear fetched evidence and model results kept on disk.",
        epilog=_EXAMPLE,
    )
    actions = parser.add_subparsers(dest="action", required=True, metavar="info|clear")
    info = actions.add_parser("info", help="list the caches")
    info.add_argument("--json", action="store_true", help="as JSON")
    clear = actions.add_parser("clear", help="empty caches")
    clear.add_argument("names", nargs="*", metavar="NAME", help="caches to empty")
    clear.add_argument("--all", action="store_true", help="empty all of them")
    clear.add_argument("--json", action="store_true", help="print what was removed as JSON")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Carry out `fas cache`; returns the exit code."""
    return _info(options) if options.action == "info" else _clear(options)


def _info(options: argparse.Namespace) -> int:
    from fas.cache import cache_info, cache_root

    caches = cache_info()
    if options.json:
        entries = [{"name": c.name, "entries": c.entries, "size": c.size} for c in caches]
        print(json.dumps({"folder": str(cache_root()), "caches": entries}))
        return 0
    print(f"folder  {cache_root()}")
    for cache in caches:
        count = "unreadable" if cache.entries is None else f"{cache.entries:,} entries"
        print(f"{cache.name:<12} {count:>18} {cache.size / 1e6:>10,.1f} MB")
    if not caches:
        print("(nothing is kept)")
    return 0


def _clear(options: argparse.Namespace) -> int:
    from fas.cache import cache_info, clear_cache

    if bool(options.names) == options.all:
        print("fas cache clear: name the caches to empty, or give --all", file=sys.stderr)
        return 2
    removed = {}
    for name in [cache.name for cache in cache_info()] if options.all else options.names:
        try:
            removed[name] = clear_cache(name)
        except (LookupError, OSError) as error:
            print(f"fas cache clear: {error.args[0] if error.args else error}", file=sys.stderr)
            return 2
        print(f"{name}: {removed[name]:,} entries removed", file=sys.stderr)
    if options.json:
        print(json.dumps(removed))
    return 0

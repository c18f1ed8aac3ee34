"""`fas profile`: list the built-in profiles, or print one."""

from __future__ import annotations

import argparse
from pathlib import Path

from fas.profile import load_profile, profile_names, profile_text


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "profile", help="list or print run configurations", epilog="example: fas profile mini > my.toml"
    )
    parser.add_argument("name", nargs="?", metavar="NAME|FILE", help="print this profile (a file is checked first)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print names or one profile's TOML; returns the exit code."""
    if options.name is None:
        for name in profile_names():
            print(name)
        return 0
    load_profile(options.name)
    if options.name in profile_names():
        print(profile_text(options.name), end="")
    else:
        print(Path(options.name).read_text(encoding="utf-8"), end="")
    return 0

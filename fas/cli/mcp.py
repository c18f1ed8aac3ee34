"""`fas mcp`: scores as tools for assistants."""

from __future__ import annotations

import argparse

from fas.cli.common import add_part_options, add_profile_options, go_offline, profile_from


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "mcp",
        help="offer score, verify and safety as tools to an assistant",
        description="The tools score, verify and safety over the Model Context Protocol, on standard input and output.",
        epilog="example: fas mcp --evidence index:notes",
    )
    parser.add_argument(
        "--max-text-seconds", type=float, default=10.0, metavar="S", help="time of each stage on one text (10)"
    )
    parser.add_argument(
        "--max-processor-seconds", type=float, default=60.0, metavar="S", help="processor time of one call (60)"
    )
    parser.add_argument("--offline", action="store_true", help="refuse evidence that needs the network")
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until the assistant hangs up; returns the exit code."""
    if options.offline:
        go_offline()
    profile = profile_from(options)
    try:
        from fas.service.tools import make_server
        from fas.service.workers import Worker, WorkLimits
    except ModuleNotFoundError as error:
        raise ValueError(
            f"fas mcp needs {error.name}, which is not installed: pip install 'fact-aligned-score[mcp]'"
        ) from error
    limits = WorkLimits(text=options.max_text_seconds, processor=options.max_processor_seconds)
    with Worker(profile, limits, offline=options.offline) as worker:
        make_server(worker).run()
    return 0

"""`fas completion`: a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse
from pathlib import Path

SHELLS = ("bash", "zsh", "tcsh")


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "completion",
        help="print a script that completes fas in bash, zsh or tcsh",
        description="Print a script that completes commands, options, their choices and files. bash: "
        'eval "$(fas completion bash)" in ~/.bashrc. zsh: fas completion zsh > a folder of $fpath/_fas. tcsh: '
        "fas completion tcsh > ~/.fas.tcsh, and source it in ~/.tcshrc.",
        epilog='example: eval "$(fas completion bash)"',
    )
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the script; returns the exit code."""
    import shtab

    from fas.cli import build_parser

    parser = build_parser()
    _complete_files(parser, shtab.FILE)
    print(shtab.complete(parser, options.shell))
    return 0


def _complete_files(parser: argparse.ArgumentParser, files: object) -> None:
    """Let every option and argument that is a path be completed with files, in all commands."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for own in action.choices.values():
                _complete_files(own, files)
        elif action.type is Path:
            action.complete = files  # type: ignore[attr-defined]  # what shtab reads

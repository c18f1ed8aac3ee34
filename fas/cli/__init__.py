"""The command line: one module per command, each a thin layer over a function.

Machine-readable output goes to stdout, messages and progress to stderr. Exit codes: 0 done,
1 done but with failed answers under `--strict`, 2 bad usage or input, 3 done but a limit of
`--fail-under` or `--fail-over` is not kept.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from fas._version import __version__
from fas.cli.parser import Parser
from fas.errors import FasError
from fas.guards.redaction import remember_environment
from fas.guards.streams import guarded_streams

_COMMANDS = (
    "score",
    "merge",
    "report",
    "explain",
    "verify",
    "revise",
    "tune",
    "bench",
    "tables",
    "compare",
    "correlate",
    "adjust",
    "annotate",
    "thresholds",
    "align",
    "factuality",
    "check_reference",
    "detect",
    "combine",
    "detect_eval",
    "gold",
    "safety",
    "safety_build",
    "doctor",
    "claims",
    "citations",
    "index",
    "cache",
    "profile",
    "parts",
    "models",
    "verifiers",
    "serve",
    "mcp",
    "register",
    "completion",
)
_DESCRIPTION = (
    "How much of a medical answer is backed by evidence, what contradicts it, and what in it could hurt a patient."
)
_EPILOG = """\
examples:
  fas score answers.jsonl -o out/          score the answers, write out/report.html
  fas score answers.jsonl -o out/ --evidence index:notes
  fas compare out-a/ out-b/                which system is better, and how sure that is
  fas claims answers.jsonl --json          what would be verified
"""
_ENVIRONMENT = {
    # Glibc gives large blocks back to the system after every batch and faults them in again;
    # these thresholds keep them (measured: up to a third of the time of a run).
    "MALLOC_MMAP_THRESHOLD_": "8589934592",
    "MALLOC_TRIM_THRESHOLD_": "17179869184",
    # OpenMP's threads spin while they wait for one another. Where other programs want the processors too,
    # the one that is waited for does not get to run (measured beside ten busy processes: over 10 times slower).
    "OMP_WAIT_POLICY": "PASSIVE",
    # The parser's matrices are small: numpy's threads would spend on them as much time again, for little.
    "OPENBLAS_NUM_THREADS": "1",
}
_HEAVY = {"score", "bench", "revise", "serve", "verify", "explain", "claims", "safety", "mcp"}


def build_parser() -> argparse.ArgumentParser:
    """The parser of every command; imports no model library."""
    parser = Parser(
        prog="fas",
        description=_DESCRIPTION,
        epilog=_EPILOG,
    )
    parser.add_argument("-v", "--version", action="version", version=f"fas {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name in _COMMANDS:
        import_module(f"fas.cli.{name}").add_parser(commands)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if argv is None and arguments and arguments[0] in _HEAVY and "-h" not in arguments and "--help" not in arguments:
        _restart_prepared()
    remember_environment()
    with guarded_streams():
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    parser = build_parser()
    options = parser.parse_args(arguments)
    if not hasattr(options, "run"):
        parser.print_help()
        return 0
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # `fas ... | head` ends quietly. Not by the signal's default action: that would end a run, too,
        # whose server closed a connection.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (FasError, ValueError, LookupError) as error:
        if os.environ.get("FAS_DEBUG"):
            raise
        # The first argument of a LookupError is the message that `str` would put into quotes.
        plain = error.args and isinstance(error.args[0], str) and not isinstance(error, UnicodeError)
        _tell(error.args[0] if plain else str(error))
        return 2
    except OSError as error:
        if os.environ.get("FAS_DEBUG"):
            raise
        _tell(str(error))
        return 2
    except KeyboardInterrupt:
        print("fas: stopped; finished answers are kept, the same command goes on from there", file=sys.stderr)
        return 130
    return code


def _tell(message: str) -> None:
    # A line that came with a foreign name must not look like one of ours.
    print("fas: " + message.replace("\n", "\n     "), file=sys.stderr)


def _restart_prepared() -> None:
    """Start again with `_ENVIRONMENT`, which is read once, when a process starts; what the user set stays."""
    missing = {name: value for name, value in _ENVIRONMENT.items() if name not in os.environ}
    if sys.platform != "linux" or not missing or os.environ.get("FAS_NO_REEXEC"):
        return
    os.environ.update(missing)
    # As it was called: with `-m fas` a fas.py in the working folder would be run instead of this package.
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])

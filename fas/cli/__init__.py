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
    if argv is None:
        _prepare()
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


def _prepare() -> None:
    """Tune this process, and those that it starts, for long runs on Linux; what the user set stays."""
    if sys.platform != "linux":
        return
    from ctypes import CDLL

    # The environment is for processes that this one starts, and for libraries that it loads later. Glibc has read its
    # own variables by now and is asked directly: no block of its own for a large piece, and no giving back (-4, -1).
    tuned = "MALLOC_MMAP_THRESHOLD_" not in os.environ and getattr(CDLL(None), "mallopt", None)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if tuned:
        tuned(-4, 0)
        tuned(-1, 2**31 - 1)

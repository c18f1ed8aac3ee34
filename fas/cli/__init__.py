"""The command line: one module per group of commands, each command a thin layer over a function.

Machine-readable output goes to stdout, messages and progress to stderr. Exit codes: 0 done,
1 done but with failed answers under `--strict`, 2 bad usage or input, 3 done but a limit of
`--fail-under` or `--fail-over` is not kept, 130 stopped by Ctrl-C, 141 nobody reads the output.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from fas.cli.declare import explain_usage_error, make_command
from fas.cli.old_names import translate
from fas.core.arguments import speak_of_options
from fas.core.errors import FasError
from fas.core.guards.redaction import remember_environment
from fas.core.guards.streams import guard_streams

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


commands = make_command()


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code.

    Raises:
        SystemExit: After help, and with 2 where the arguments cannot be understood.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    if "_FAS_COMPLETE" in os.environ:
        from click.shell_completion import shell_complete

        return shell_complete(commands, {}, "fas", "_FAS_COMPLETE", os.environ["_FAS_COMPLETE"])
    arguments, note = translate(arguments)
    if argv is None:
        _prepare()
    remember_environment()
    with guard_streams(), speak_of_options():
        if note:
            _print_message(note)
        return _run(arguments)


def _run(arguments: list[str]) -> int:
    try:
        # A page of help on a terminal is as wide as that, up to 110 columns.
        width = None if sys.stdout.isatty() else 110
        names = ["-h", "--help"]
        with commands.make_context(
            "fas", arguments, help_option_names=names, terminal_width=width, max_content_width=110
        ) as context:
            code: int = commands.invoke(context) or 0
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        raise SystemExit(done.exit_code) from done
    except click.UsageError as error:
        sys.stderr.write(explain_usage_error(error))
        raise SystemExit(2) from error
    except BrokenPipeError:
        # `fas ... | head` ends quietly. Not by the signal's default action: that would end a run, too,
        # whose server closed a connection.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (FasError, ValueError, LookupError, OSError) as error:
        if os.environ.get("FAS_DEBUG"):
            raise
        # The first argument of a LookupError is the message that `str` would put into quotes.
        plain = error.args and isinstance(error.args[0], str) and not isinstance(error, UnicodeError | OSError)
        _print_message(error.args[0] if plain else str(error))
        return 2
    except (KeyboardInterrupt, click.Abort):
        _print_message("stopped; finished answers are kept, and the same command resumes")
        return 130
    return code


def _print_message(message: str) -> None:
    # A line that came with a foreign name must not look like one of ours.
    print("fas: " + message.replace("\n", "\n     "), file=sys.stderr)


def _prepare() -> None:
    """Tune this process, and those that it starts, for long runs on Linux; what the user set stays."""
    if sys.platform != "linux":
        return
    from ctypes import CDLL

    # The environment is for processes that this one starts, and for libraries that it loads later. Glibc has read its
    # own variables by now, so mallopt sets them: no separate block for a large piece, and no giving back (-4, -1).
    tuned = "MALLOC_MMAP_THRESHOLD_" not in os.environ and getattr(CDLL(None), "mallopt", None)
    for name, value in _ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if tuned:
        tuned(-4, 0)
        tuned(-1, 2**31 - 1)

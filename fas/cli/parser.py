"""The parser of the command line: a usage of one line before an error, and what was probably meant."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

_CHOICE = re.compile(r"invalid choice: '(?P<given>[^']*)' \(choose from (?P<choices>.*)\)", re.DOTALL)


class _Help(argparse.HelpFormatter):
    """Help in which a line of an epilog or a description stays a line; indented ones are commands, left as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        lines = text.splitlines()
        return "\n".join(line if line[:1].isspace() or not line else fill(line, width, indent) for line in lines)


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose errors are short; its subcommands' parsers are of this class, too."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"formatter_class": _Help, **options})

    def error(self, message: str) -> NoReturn:
        """Say what is wrong and where help is, and exit with 2."""
        found = _CHOICE.search(message)
        hint = ""
        if found is not None:
            choices = re.findall(r"[^\s,']+", found["choices"])
            hint = _meant([found["given"]], choices)
            if hint:
                message = f"{message[: found.start()]}invalid choice: {found['given']!r}"
        elif message.startswith("unrecognized arguments: "):
            given = [word.partition("=")[0] for word in message.partition(": ")[2].split()]
            hint = _meant((word for word in given if word.startswith("-")), self._option_string_actions)
        self.exit(2, f"usage: {self.prog} ...   ({self.prog} --help says more)\n{self.prog}: error: {message}{hint}\n")

    def parse_known_args(  # type: ignore[override]  # the stubs' overloads say the same
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As argparse; a command tells of unknown options itself, as the parser above does not know its others."""
        found, rest = super().parse_known_args(args, namespace)
        if rest and self._subparsers is None:
            self.error(f"unrecognized arguments: {' '.join(rest)}")
        return found, rest


def _meant(given: Iterable[str], known: Iterable[str]) -> str:
    close = [near[0] for word in given if (near := get_close_matches(word, list(known), n=1, cutoff=0.6))]
    return f"; did you mean {' '.join(close)}?" if close else ""

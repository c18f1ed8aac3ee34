"""The commands that `commands.txt` declares: each with its help, examples, and a row for each parameter.

A row is the parameter, two spaces, its line of the help, and perhaps ` = default` or ` = required`:

    answers FILE  answers to score
    -k N  passages per claim = 5
    {offline} {profile}

`fas.cli.options.TYPES` has the types of values: N is a whole number (`N>=1` bounds it), X any number, FILE and DIR are
paths; `a|b` is a choice, three dots let a value be repeated, a value in brackets can be left out, `@name` is the
attribute that holds it, and an option without a value is a flag. `{name}` inserts the row, or rows, `name := ...` from
the end of the file. A line that ends with a colon is a heading; an indented line continues the one before.

The function of a command has its last word as name (`list_` for `list`), in the module of the first word or in the one
named in parentheses.
"""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import click

from fas._version import __version__
from fas.cli.options import TYPES, Options, print_result, refuse_network
from fas.core.profile import PRECISIONS
from fas.core.records.evidence_source import EVIDENCE_CHOICES


class _Declaration(NamedTuple):
    module: str
    summary: str
    text: str
    examples: list[str]
    rows: str


_ROW = re.compile(r"(?P<spec>.+?) {2,}(?P<text>.+?)(?: = (?P<default>.+))?")
_COMMAND = re.compile(  # path, module, summary, text, examples, rows
    r"^== fas ?([\w -]*?)(?: \((\w+)\))?: (.+)\n((?:(?!== |# |\$ ).+\n|\n(?!== |# ))*)((?:\$ .+\n)*)((?:.+\n)*)",
    re.MULTILINE,
)
_FILE = Path(__file__).with_name("commands.txt").read_text(encoding="utf-8")
_FILE = _FILE.replace("EVIDENCE_CHOICES", EVIDENCE_CHOICES).replace("PRECISIONS", "|".join(PRECISIONS))
_COMMANDS, _, _END = _FILE.partition("# rows that commands share\n")
_ROWS = dict(re.findall(r"^(\w+) :=[ \n](.*?)(?=\n\n|\n\w+ :=|\Z)", _END, re.MULTILINE | re.DOTALL))
_DECLARED = {
    path: _Declaration(
        module or path.split(" ")[0], summary, text, re.findall(r"^\$ (.+)", examples, re.MULTILINE), rows
    )
    for path, module, summary, text, examples, rows in _COMMAND.findall(_COMMANDS)
}
_SECTIONS = {
    heading: re.findall(r"^== fas ([\w-]+)(?: \(\w+\))?:", declared, re.MULTILINE)
    for heading, declared in re.findall(r"^# (.+)\n((?:(?!# ).*\n)*)", _COMMANDS, re.MULTILINE)
}


def list_commands(path: str = "") -> list[str]:
    """The names of the commands under these words, in the order of the table; none if they are a command themselves."""
    return [other.split(" ")[-1] for other in _DECLARED if other and other.rpartition(" ")[0] == path]


@cache
def make_command(path: str = "") -> click.Command:
    """The command of these words after `fas`, or `fas` itself."""
    return Group(path) if list_commands(path) else Command(path)


class Command(click.Command):
    """A command whose help lists options under headings and ends with examples.

    What its function returns is the exit code, if a whole number, or is printed.
    """

    def __init__(self, path: str, **settings: Any) -> None:
        self.declared, self.module = _DECLARED[path], _DECLARED[path.split(" ")[0]].module
        self.headings: dict[str, list[click.Parameter]] = {"options": []}
        for heading, param in _read_rows(self.declared.rows, "options"):
            self.headings.setdefault(heading, []).append(param)
        params = [param for under in self.headings.values() for param in under]
        name = path.split(" ")[-1] or "fas"
        text = f"{self.declared.summary}\n\n{self.declared.text}"
        super().__init__(name, params=params, help=text, **{"callback": self._call, **settings})

    def find_function(self) -> Callable[[Options], Any]:
        """The function that the command calls."""
        name = cast(str, self.name).replace("-", "_")
        reserved = keyword.iskeyword(name) or hasattr(builtins, name)
        found: Callable[[Options], Any] = getattr(import_module(f"fas.cli.{self.module}"), name + "_" * reserved)
        return found

    def _call(self, **values: Any) -> int:
        o = Options(**values)
        if values.get("offline"):
            refuse_network()
        found = self.find_function()(o)
        if found is not None and not isinstance(found, int):
            print_result(found, o)
        return found if isinstance(found, int) else 0

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the line of usage."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix="usage: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        for heading, params in self.headings.items():
            rows = [param.get_help_record(ctx) for param in params if isinstance(param, click.Option)]
            if heading == "options" and (asks_help := self.get_help_option(ctx)) is not None:
                rows.append(asks_help.get_help_record(ctx))
            _write_list(formatter, heading, [row for row in rows if row is not None])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples as they are."""
        if examples := self.list_examples():
            with formatter.section("examples"):
                formatter.write("".join(f"  {line}\n" for line in examples))

    def list_examples(self) -> list[str]:
        """The lines that the help ends with."""
        return self.declared.examples


class Group(Command, click.Group):
    """Commands under one name, built on demand; its help shows an example of each, if it has none of its own."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.names = list_commands(path)
        super().__init__(path, callback=_show_help_if_bare, invoke_without_command=True)
        self.subcommand_metavar = "COMMAND ..."

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return self.names

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name."""
        return make_command(f"{self.path} {cmd_name}".lstrip()) if cmd_name in self.names else None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        for heading, names in ({"commands": self.names} if self.path else _SECTIONS).items():
            rows = [(name, _DECLARED[f"{self.path} {name}".lstrip()].summary) for name in names]
            _write_list(formatter, heading, rows)
        super().format_options(ctx, formatter)

    def list_examples(self) -> list[str]:
        """Its own examples, or the first of each command."""
        below = (_DECLARED[f"{self.path} {name}"].examples[:1] for name in self.names)
        return self.declared.examples or [line for lines in below for line in lines]


def _write_list(formatter: click.HelpFormatter, heading: str, rows: list[tuple[str, str]]) -> None:
    if rows:
        with formatter.section(heading):
            formatter.write_dl([(name, text.rstrip(".")) for name, text in rows], col_max=36)


def _show_help_if_bare(version: bool = False) -> None:
    ctx = click.get_current_context()
    if version:
        click.echo(f"fas {__version__}")
        ctx.exit()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _read_rows(rows: str, heading: str) -> Iterator[tuple[str, click.Parameter]]:
    """The parameters that *rows* declare, each with its heading."""
    for line in re.sub(r"\n +", " ", rows).splitlines():
        if re.fullmatch(r"(\{\w+\} ?)+", line):
            for name in re.findall(r"\w+", line):
                yield from _read_rows(_ROWS[name], heading)
        elif (row := _ROW.fullmatch(line)) is not None:
            yield heading, _make_param(**row.groupdict())
        elif line.endswith(":"):
            heading = line.removesuffix(":")
        else:
            raise ValueError(f"commands.txt: neither a row nor a heading (which ends with a colon): {line!r}")


def _make_param(spec: str, text: str, default: str | None) -> click.Parameter:
    words = spec.split()
    names = [word.removeprefix("@") for word in words if word[0] in "-@"]
    metavar = "".join(word for word in words[0 if names else 1 :] if word[0] not in "-@")
    bare, _, low = metavar.strip("[].").partition(">=")
    more: dict[str, Any] = {
        "help": text,
        "type": click.IntRange(min=int(low)) if low else TYPES.get(bare, click.STRING),
    }
    if bare.islower():
        more["type"] = click.Choice(bare.split("|"))
    else:
        more["metavar"] = metavar.partition(">=")[0].removesuffix("..." if names else "")
    if not names:
        nargs, required = -1 if "..." in metavar else 1, "[" not in metavar
        return click.Argument(words[:1], nargs=nargs, required=required, **more)
    if not metavar:
        # A flag that overrides a setting says nothing where it is not given; click would make that False.
        default_of: dict[str, Any] = {"default": None} if "/" in spec else {}
        return click.Option(names, is_flag=True, help=text, **default_of)
    if default == "required":
        more["required"] = True
    elif default is not None:
        more |= {"default": default.split() if "..." in metavar else default, "show_default": True}
    if "[" in metavar:
        more |= {"is_flag": False, "flag_value": bare.split("|")[0] if bare.islower() else ""}
    return click.Option(names, multiple=metavar.endswith("..."), **more)


def explain_usage_error(error: click.UsageError) -> str:
    """What is wrong with the arguments and what was probably meant, in two lines."""
    path = error.ctx.command_path if error.ctx is not None else "fas"
    message, close = error.message.rstrip("."), list[str]()
    if isinstance(error, click.NoSuchOption):
        message, close = f"no such option: {error.option_name}", list(error.possibilities or ())
    elif isinstance(error, click.exceptions.NoSuchCommand) and error.ctx is not None:
        known = cast(Group, error.ctx.command).list_commands(error.ctx)
        message, close = f"no such command: {error.command_name}", get_close_matches(error.command_name, known)
    elif isinstance(error, click.MissingParameter) and error.param is not None:
        param = error.param
        message = f"missing: {' or '.join(param.opts) if param.param_type_name == 'option' else param.metavar}"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        if isinstance(kind := error.param.type, click.Choice) and (given := re.match(r"'(.*)' is not one of", message)):
            close = get_close_matches(given[1], kind.choices, n=1)
        message = f"argument {max(error.param.opts, key=len)}: {message}"
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"usage: {path} ...   ({path} --help says more)\n{path}: error: {message}{hint}\n"

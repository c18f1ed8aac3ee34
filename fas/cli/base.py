"""What every command is made of: options in sections, help with examples, and hints at what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import click

Decorator = Callable[[Any], Any]


def path_type(name: str) -> click.Path:
    """A path that the shell completes; *name* is what help calls it."""
    kind = click.Path(path_type=Path)
    kind.name = name
    return kind


FILE, DIR = path_type("file"), path_type("dir")
_TYPES: dict[str, click.ParamType[Any]] = {
    **dict.fromkeys(("N", "BYTES", "MB"), click.INT),
    **dict.fromkeys(("X", "USD", "SECONDS"), click.FLOAT),
    **dict.fromkeys(("FILE", "FILE|DIR"), FILE),
    "DIR": DIR,
}


class Value(click.ParamType[Any]):
    """The value that *read* makes of an option's text; its ValueError is what the user gets to see."""

    name = "text"

    def __init__(self, read: Callable[[str], Any]) -> None:
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As click asks; a default that is not a text stays."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


class Option(click.Option):
    """An option with the section of the help that lists it."""

    section = "options"


def option(
    spec: str, text: str, default: Any = None, *, read: Callable[[str], Any] | None = None, **more: Any
) -> Decorator:
    """An option of a command; help shows its default.

    Args:
        spec: Its names and what its value is called: `-o --out DIR`. N is a whole number, X any number, FILE and DIR
            are paths, `a|b` is a choice; three dots let it be repeated; without a value it is a flag.
        text: Its line of the help.
        default: Its default.
        read: Makes the value of its text.
        more: As for `click.Option`; `name` is the attribute that has the value.
    """
    words = spec.split()
    names = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(names) :])
    if "name" in more:
        names.append(more.pop("name"))
    if not metavar:
        # A flag that overrides a setting says nothing where it is not given; click would make that False.
        more = {"is_flag": True, **({"default": None} if "/" in spec else {}), **more}
    elif metavar.islower():
        more = {"type": click.Choice(metavar.split("|")), **more}
    else:
        kind = _TYPES.get(metavar.removesuffix("..."), click.STRING) if read is None else Value(read)
        more = {"metavar": metavar.removesuffix("..."), "multiple": metavar.endswith("..."), "type": kind, **more}
    if default is not None:
        more["default"] = default
    return click.option(*names, cls=Option, show_default=bool(default), help=text, **more)


def argument(name: str, metavar: str, text: str) -> Decorator:
    """A positional argument; in brackets it can be left out, three dots let it be repeated, as for `option`."""
    bare = metavar.strip("[].")
    kind, nargs = _TYPES.get(bare, click.STRING), -1 if "..." in metavar else 1
    return click.argument(name, metavar=metavar, type=kind, nargs=nargs, required="[" not in metavar, help=text)


def section(title: str, *options: Decorator) -> Decorator:
    """Several options under one heading of the help."""

    def add(function: Any) -> Any:
        for param in _add(function, options):
            param.section = title
        return function

    return add


def several(*options: Decorator) -> Decorator:
    """Several options and arguments as one."""

    def add(function: Any) -> Any:
        _add(function, options)
        return function

    return add


def collect(name: str, make: Callable[..., Any], *options: Decorator) -> Decorator:
    """Several options that reach the command as its one value *name*: what *make* returns for their values."""

    def add(function: Any) -> Any:
        before = len(getattr(function, "__collected__", ()))
        names = {param.name for param in _add(function, options)}
        inner = list(getattr(function, "__collected__", ()))
        names |= {one[0] for one in inner[before:]}
        function.__collected__ = [*inner, (name, make, names)]
        return function

    return add


def _add(function: Any, options: Sequence[Decorator]) -> list[Any]:
    """The parameters that *options* give to *function*."""
    function.__click_params__ = list(getattr(function, "__click_params__", []))
    before = len(function.__click_params__)
    for one in reversed(options):
        one(function)
    added: list[Any] = function.__click_params__[before:]
    return added


class Command(click.Command):
    """A command whose help lists options in sections and ends with examples.

    Attributes:
        examples: Lines that the help ends with.
    """

    examples = ""

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the line of usage."""
        formatter.write_usage(ctx.command_path, " ".join(self.collect_usage_pieces(ctx)), prefix="usage: ")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options under their headings."""
        found: dict[str, list[tuple[str, str]]] = {"options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if isinstance(param, click.Option) and record is not None:
                found.setdefault(getattr(param, "section", "options"), []).append(record)
        _write_lists(found, formatter)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, uncut."""
        if self.examples:
            with formatter.section("examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples.splitlines()))


class Group(Command, click.Group):
    """Commands under one name; without one of them it prints its help."""

    command_class = Command

    def __init__(self, name: str, **settings: Any) -> None:
        own = {"invoke_without_command": True, "callback": _show_help_if_bare, "subcommand_metavar": "COMMAND ..."}
        super().__init__(name, **{**own, **settings})

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, then the options."""
        _write_lists(self.command_rows(ctx), formatter)
        super().format_options(ctx, formatter)

    def command_rows(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Headings to the commands under them, each with the first sentence of its help."""
        return {"commands": [(name, self.commands[name].get_short_help_str(200)) for name in self.list_commands(ctx)]}

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the group's examples; else the first of each of its commands."""
        found = [getattr(one, "examples", "").partition("\n")[0] for one in self.commands.values()]
        self.examples = self.examples or "\n".join(filter(None, found))
        super().format_epilog(ctx, formatter)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of their definition."""
        return list(self.commands)


def _write_lists(found: dict[str, list[tuple[str, str]]], formatter: click.HelpFormatter) -> None:
    for heading, rows in found.items():
        if rows:
            with formatter.section(heading):
                formatter.write_dl([(name, text.rstrip(".")) for name, text in rows], col_max=36)


def _show_help_if_bare() -> None:
    ctx = click.get_current_context()
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def command(examples: str, *options: Decorator, of: click.Group | None = None, name: str | None = None) -> Decorator:
    """A command out of a function; its docstring is the help, and its one argument holds the options' values.

    Args:
        examples: Lines that the help ends with.
        options: Options and arguments.
        of: The group that it belongs to.
        name: Its name, where that is not the function's.
    """

    def make(function: Callable[[SimpleNamespace], int | None]) -> click.Command:
        def call(**given: Any) -> int | None:
            for key, collected, names in getattr(call, "__collected__", ()):
                given[key] = collected(**{one: given.pop(one) for one in list(given) if one in names})
            return function(SimpleNamespace(**given))

        call.__doc__ = function.__doc__
        made = click.command(name or function.__name__.replace("_", "-"), cls=Command)(several(*options)(call))
        made.examples = examples
        if of is not None:
            of.add_command(made)
        return made

    return make


def group(name: str, help: str) -> Group:  # noqa: A002  # click's word
    """A group of commands."""
    return Group(name, help=help)


def explain_usage_error(error: click.UsageError) -> str:
    """What is wrong with the arguments and what was probably meant, in the two lines that a user sees."""
    path = error.ctx.command_path if error.ctx is not None else "fas"
    message = error.message.rstrip(".")
    close: Sequence[str] = ()
    if isinstance(error, click.NoSuchOption):
        message, close = f"no such option: {error.option_name}", error.possibilities or ()
    elif isinstance(error, click.exceptions.NoSuchCommand) and error.ctx is not None:
        known = cast(Group, error.ctx.command).list_commands(error.ctx)
        message, close = f"no such command: {error.command_name}", get_close_matches(error.command_name, known)
    elif isinstance(error, click.MissingParameter) and error.param is not None:
        names = (
            " or ".join(error.param.opts) if isinstance(error.param, click.Option) else error.param.human_readable_name
        )
        message = f"missing: {names}"
    elif isinstance(error, click.BadParameter) and error.param is not None:
        message = f"argument {max(error.param.opts, key=len)}: {message}"
        given = re.match(r".*?: '(.*)' is not one of", message)
        if given is not None and isinstance(error.param.type, click.Choice):
            close = get_close_matches(given[1], error.param.type.choices, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"usage: {path} ...   ({path} --help says more)\n{path}: error: {message}{hint}\n"

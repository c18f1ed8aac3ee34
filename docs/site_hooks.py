"""Hooks of `mkdocs build`: the changelog and the commands as pages, and links to files that the site does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from mkdocs.structure.files import File, Files

from fas.cli import commands

_ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the changelog, which lies beside `docs`, and the commands, which the code describes."""
    files.append(File.generated(config, "reference/commands.md", content=describe_commands()))
    files.append(File.generated(config, "changelog.md", content=(_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    return files


def describe_commands() -> str:
    """The help of every command as Markdown."""
    root = click.Context(commands, info_name="fas", help_option_names=["-h", "--help"], terminal_width=100)
    return "\n".join(["# Commands", "", *_describe(root, 2)])


def _describe(context: click.Context, level: int) -> Iterator[str]:
    command = context.command
    if context.parent is not None:
        yield from (f"{'#' * level} {context.command_path}", "")
        level += 1
    yield from ("```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            own = command.get_command(context, name)
            if own is not None:
                yield from _describe(click.Context(own, parent=context, info_name=name), min(level, 4))


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Name files of the repository instead of linking to them: the site is read without the repository."""
    here = (_ROOT / "docs" / page.file.src_uri).parent
    if page.file.src_uri == "changelog.md":
        here = _ROOT

    def named(link: re.Match[str]) -> str:
        text, target, fragment = link[1], link[2], link[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return link[0]
        path = (here / target).resolve()
        if not path.exists():
            return link[0]  # mkdocs reports it
        if page.file.src_uri == "changelog.md" and path.is_relative_to(_ROOT / "docs"):
            return f"[{text}]({path.relative_to(_ROOT / 'docs')}{fragment})"
        if path.is_relative_to(_ROOT / "docs"):
            return link[0]
        shown = path.relative_to(_ROOT)
        return f"`{shown}`" if text.strip("`") == str(shown) else f"{text} (`{shown}`)"

    return _LINK.sub(named, markdown)

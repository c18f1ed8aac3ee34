"""Hooks of `mkdocs build`: the changelog as a page, and links to files that the site does not hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

_ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the changelog, which lies beside `docs`."""
    files.append(File.generated(config, "changelog.md", content=(_ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    return files


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

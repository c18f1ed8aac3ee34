"""The commands of the pages in docs/ run as they stand, except those whose comments say `(network` or `your own`."""

from __future__ import annotations

import re
import shlex
import shutil

import pytest

from fas.cli import main

# All but the first score the examples, some of them several times.
PAGES = (
    "how-to/citations.md",
    *(
        pytest.param(page, marks=pytest.mark.slow)
        for page in ("how-to/evidence.md", "how-to/explaining.md", "how-to/own-data.md", "papers/index.md",
                     "how-to/pipelines.md", "how-to/tables.md", "tutorial.md")
    ),
)  # fmt: skip


def commands(text):
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.splitlines():
            command, _, comment = line.partition(" #")
            if command.startswith("fas ") and "(network" not in comment and "your own" not in comment:
                yield command.strip()


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run(root, page, tmp_path, monkeypatch, fresh_cache, capsys):
    shutil.copytree(root / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    found = list(commands((root / "docs" / page).read_text(encoding="utf-8")))
    assert found
    for command in found:
        assert main(shlex.split(command)[1:]) == 0, (command, capsys.readouterr().err)

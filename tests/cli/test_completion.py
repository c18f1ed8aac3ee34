"""`fas setup completion`: what a real bash is offered by the script."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from fas.cli import main


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["fas", "score", "--on-error", ""], ["record", "stop"]),
        (["fas", "results", "tables", "--format", "la"], ["latex"]),
    ],
)
def test_bash_is_offered_commands_options_and_choices(capsys, tmp_path, words, offered):
    assert main(["setup", "completion", "bash"]) == 0
    (tmp_path / "fas.bash").write_text(capsys.readouterr().out, encoding="utf-8")
    program = tmp_path / "fas"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m fas "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    quoted = " ".join(f"'{word}'" for word in words)
    command = (
        f"source '{tmp_path}/fas.bash'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
        f"_fas_completion '{program}'; printf '%s\\n' ${{COMPREPLY[@]}}"
    )
    found = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True, timeout=60)
    assert sorted(found.stdout.split()) == offered


def test_an_argument_that_is_a_file_is_left_to_the_shells_own_completion():
    asked = {"_FAS_COMPLETE": "zsh_complete", "COMP_WORDS": "fas score ans", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-m", "fas"], env={**os.environ, **asked}, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["file", "ans"]

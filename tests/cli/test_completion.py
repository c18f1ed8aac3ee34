"""`fas completion`: the script in a real bash."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from fas.cli import main


@pytest.fixture(scope="module")
def script(tmp_path_factory):
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["completion", "bash"]) == 0
    path = tmp_path_factory.mktemp("completion") / "fas.bash"
    path.write_text(out.getvalue(), encoding="utf-8")
    return path


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["fas", "expl"], ["explain"]),
        (["fas", "score", "--evid"], ["--evidence"]),
        (["fas", "score", "--on-error", ""], ["record", "stop"]),
        (["fas", "index", "bui"], ["build"]),
        (["fas", "tables", "--format", "la"], ["latex"]),
        (["fas", "score", "ans"], ["answers.jsonl"]),
    ],
)
def test_bash_is_offered_commands_options_choices_and_files(script, tmp_path, words, offered):
    (tmp_path / "answers.jsonl").touch()
    quoted = " ".join(f"'{word}'" for word in words)
    place = f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}"
    command = f"source '{script}'; {place}; _shtab_fas; printf '%s\\n' ${{COMPREPLY[@]}}"
    found = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=True, cwd=tmp_path, timeout=60
    )
    assert sorted(found.stdout.split()) == offered

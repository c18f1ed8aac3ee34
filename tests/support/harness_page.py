"""The examples of docs/how-to/harnesses.md, for the tests that run them inside each harness."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tiny_llm import write_tiny_llm

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "harnesses.md"


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of *language* below *heading*; the questions stand below the title."""
    _, text = re.split(rf"^#+ {re.escape(heading)}$", PAGE.read_text(encoding="utf-8"), maxsplit=1, flags=re.MULTILINE)
    text = re.split(r"^#", text, maxsplit=1, flags=re.MULTILINE)[0] if heading != "DSPy" else text
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def write_questions(folder: Path) -> None:
    """The page's `questions.jsonl`."""
    (questions,) = blocks("Scores inside other harnesses", "json")
    (folder / "questions.jsonl").write_text(questions, encoding="utf-8")


def run_commands(heading: str, folder: Path, *, data: Path | None = None) -> list[str]:
    """Run the page's commands as they stand in *folder*, with a tiny model for MODEL; what each printed.

    They find the installed package, as the folder holds none.
    """
    model = write_tiny_llm(folder / "model", chat=True)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    printed = []
    for line in "".join(blocks(heading, "sh")).splitlines():
        command = line.replace("MODEL", str(model)).replace("DATA", str(data))
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env={**os.environ, "PATH": path, "HF_HUB_OFFLINE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        printed.append(done.stdout)
    return printed

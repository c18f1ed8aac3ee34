"""Every block of the README runs, and says what the README says it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fas.core.records.signature import Signature

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)
FILES_OF_A_RUN = (ROOT / "docs/reference/input-and-output.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return [text for own, text in BLOCKS if own == language]


def environment(tmp_path: Path) -> dict[str, str]:
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HF_HOME": str(tmp_path / "hf"),
        "FAS_CACHE_DIR": str(tmp_path / "cache"),
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what a newcomer's commands touch."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.mark.timeout(600)
@pytest.mark.parametrize("code", blocks("python"))
def test_each_python_block_runs(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out.strip()


@pytest.mark.slow
@pytest.mark.timeout(1200)  # scores 34 answers three times
def test_the_command_line_block_runs_as_it_stands(checkout: Path, tmp_path: Path) -> None:
    (script,) = [text for text in blocks("bash") if "fas score" in text]
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=checkout,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads((checkout / "out/report.json").read_text(encoding="utf-8"))
    assert report["n"] == len((checkout / "examples/answers.jsonl").read_text(encoding="utf-8").splitlines())
    assert "DOSE_ABOVE_MAX" in done.stdout
    # The signature shown on the page of input and output is the demo's.
    (line,) = re.findall(r"^    (n:\S+)$", FILES_OF_A_RUN, flags=re.MULTILINE)
    shown, found = (Signature.parse(text).fields for text in (line, report["signature"]))
    assert without_digests({**shown, "prec": found["prec"]}) == without_digests(found)
    assert {shown["prec"], found["prec"]} <= {"fp32", "bf16"}  # as the processor has it


def without_digests(fields):
    """Digests change with every line of the code that makes claims and flags; a README cannot."""
    return {key: re.sub(r"(rules|tables|engine)=[0-9a-f]{8}", r"\1=", value) for key, value in fields.items()}

"""Every notebook runs from top to bottom without a network, and is stored with what it printed.

They are made anew by `jupyter execute --inplace notebooks/*.ipynb`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
COMPARED = {"labels"}
"""Notebooks whose stored outputs are compared with those of another run; the others name versions that change."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder with what the notebooks touch, so that nothing they write lands in the checkout."""
    folder = tmp_path_factory.mktemp("notebooks")
    shutil.copytree(ROOT / "examples", folder / "examples")
    (folder / "notebooks").mkdir()
    return folder


@pytest.fixture
def offline(monkeypatch, tmp_path):
    """What a kernel inherits: this checkout, no hub, and a proxy that nothing listens on."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert os.environ["HF_HUB_OFFLINE"] == "1"


def printed(notebook):
    """What every cell printed or showed, as text."""
    return [
        "".join(output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in code_cells(notebook)
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_as_they_ran_from_top_to_bottom_and_begin_with_a_title(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    assert notebook.cells[0].source.startswith("# ")
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert not [one for one in outputs if one.output_type == "error" or one.get("name") == "stderr"]
    stored = json.dumps([cell.outputs for cell in cells])
    assert not re.search(r"(/home|/root|/work|/tmp|/Users)/", stored)
    assert not (notebook.metadata.keys() - {"kernelspec", "language_info"})


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.filterwarnings("default")  # of Jupyter's own parts; the kernel has its own filters
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_runs_from_the_notebooks_folder(path, checkout, offline):
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook, timeout=400, kernel_name="python3", resources={"metadata": {"path": str(checkout / "notebooks")}}
    )
    client.execute()
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    errors = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert errors == []
    assert not [output for cell in cells for output in cell.outputs if output.get("name") == "stderr"]
    if path.stem in COMPARED:
        stored = printed(nbformat.read(path, as_version=4))
        for old, new in zip(stored, printed(notebook), strict=True):
            assert _NUMBER.sub("#", old).split() == _NUMBER.sub("#", new).split()
            numbers = [[float(one) for one in _NUMBER.findall(text)] for text in (old, new)]
            # Another processor may turn a verdict that lies on the threshold.
            assert numbers[1] == pytest.approx(numbers[0], rel=0.1, abs=0.05)
    if path.stem == "quickstart":
        # What the text around the first cell says of its output.
        lines = cells[0].outputs[0]["text"].splitlines()
        labels, claims = zip(*(line.split(maxsplit=1) for line in lines if not line.startswith(" ")), strict=True)
        assert labels[0] == "supported"
        assert labels[1] in ("contradicted", "unsupported")
        assert claims[1].startswith("Metformin")

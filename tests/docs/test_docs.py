"""The pages of the repository: their Python runs, their commands are there, their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def fenced(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


PYTHON = [(path, code) for path in PAGES for code in fenced(path, "python")]
# Pages whose code needs an endpoint, a harness or the folders of a run: the tests that set them up run it.
ELSEWHERE = {
    "llm.md": "tests/verify/test_llm_runs.py",
    "detectors.md": "tests/docs/test_detectors.py",
    "leaf.md": "tests/docs/test_leaf.py",
    "scale.md": "tests/integrations/test_ray.py",
    "harnesses.md": "tests/support/harness_page.py",
}


@pytest.mark.parametrize(("path", "code"), PYTHON, ids=[f"{path.stem}-{i}" for i, (path, _) in enumerate(PYTHON)])
def test_each_python_block_of_a_page_runs_or_names_what_it_needs(
    path: Path, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if path.name in ELSEWHERE:
        assert f"{path.stem}.md" in (ROOT / ELSEWHERE[path.name]).read_text(encoding="utf-8")
        pytest.skip(f"needs what {ELSEWHERE[path.name]} sets up and runs it with")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, path.name, "exec"), {"__name__": "__main__"})


def test_each_test_that_contributing_names_is_there() -> None:
    words = [word for code in fenced(ROOT / "CONTRIBUTING.md", "bash") for word in code.split()]
    assert [word for word in words if word.startswith("tests/") and not (ROOT / word).exists()] == []

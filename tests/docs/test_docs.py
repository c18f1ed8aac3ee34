"""The pages of the repository: their Python runs, their commands are there, their links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "ARCHITECTURE.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
LINKED = [
    *PAGES,
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "HISTORY.md")),
    *sorted(path for name in ("benchmarks", "safety", "metrics", "fas") for path in (ROOT / name).rglob("*.md")),
]


def fenced(path: Path, language: str) -> list[str]:
    text = path.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


PYTHON = [(path, code) for path in PAGES for code in fenced(path, "python")]
COMMANDS = sorted({line for code in fenced(ROOT / "CONTRIBUTING.md", "bash") for line in code.splitlines() if line})
# Pages whose code needs an endpoint, a harness or the folders of a run: the tests that set them up run it.
ELSEWHERE = {
    "llm.md": "tests/verify/test_llm_runs.py",
    "detectors.md": "tests/docs/test_detectors.py",
    "leaf.md": "tests/docs/test_leaf.py",
    "scale.md": "tests/integrations/test_ray.py",
    "harnesses.md": "tests/support/harness_page.py",
}


def environment(tmp_path: Path) -> dict[str, str]:
    own = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": own, "PYTHONPATH": str(ROOT), "FAS_CACHE_DIR": str(tmp_path / "cache")}


@pytest.mark.parametrize(("path", "code"), PYTHON, ids=[f"{path.stem}-{i}" for i, (path, _) in enumerate(PYTHON)])
def test_each_python_block_of_a_page_runs_or_names_what_it_needs(path: Path, code: str, tmp_path: Path) -> None:
    if path.name in ELSEWHERE:
        assert f"{path.stem}.md" in (ROOT / ELSEWHERE[path.name]).read_text(encoding="utf-8")
        pytest.skip(f"needs what {ELSEWHERE[path.name]} sets up and runs it with")
    own = environment(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_commands_of_the_page_on_evidence_run_as_they_stand(tmp_path: Path) -> None:
    (script,) = fenced(ROOT / "docs/evidence.md", "bash")
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    own = environment(tmp_path)
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=tmp_path, env=own, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_of_contributing_is_one_that_works(command: str, tmp_path: Path) -> None:
    """Tests are collected and not run once more, and of `make` its plan is made: both are run elsewhere."""
    words = shlex.split(command)
    if words[0] == "make":
        words.insert(1, "-n")
    else:
        assert words[:3] == [".venv/bin/python", "-m", "pytest"], "say here how this command is tested"
        words = [sys.executable, *words[1:], "--collect-only", "-p", "no:cacheprovider"]
    done = subprocess.run(
        words, cwd=ROOT, env=environment(tmp_path), capture_output=True, text=True, check=False, timeout=250
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip()


def test_every_recipe_ends_in_its_test_command() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = re.findall(r"^## (Add [^\n]+)\n(.*?)(?=^## )", text, flags=re.MULTILINE | re.DOTALL)
    assert {title for title, _ in recipes} >= {
        "Add a verifier", "Add an extractor", "Add an evidence source", "Add a safety rule", "Add an evaluate module",
        "Add a profile",
    }  # fmt: skip
    assert [title for title, body in recipes if not re.search(r"pytest [^\n]*tests/\S+\n```\s*$", body)] == []


def slugs(path: Path) -> set[str]:
    """What links to the headings of a page end in, as GitHub makes it."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.+)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("path", LINKED, ids=lambda path: str(path.relative_to(ROOT).with_suffix("")))
def test_every_link_of_a_page_leads_somewhere(path: Path) -> None:
    dead = []
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)", path.read_text(encoding="utf-8")):
        there = path.parent / target if target else path
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in slugs(there)):
            dead.append(f"{target}#{anchor}")
    assert dead == []


def test_commands_of_benchmarks_are_modules_that_are_there() -> None:
    """They begin at the root, so that no page depends on the folder a reader stands in."""
    files = [*(ROOT / "docs").glob("*.md"), *(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "benchmarks").rglob("*.md")]
    n = 0
    for path in (path for path in files if path.name != "HISTORY.md"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"\bpython3? [\w./]+\.py\b", text) == [], path
        for name in re.findall(r"python -m (benchmarks[\w.]*\w)", text):
            place = ROOT.joinpath(*name.split("."))
            assert place.with_suffix(".py").is_file() or (place / "__main__.py").is_file(), f"{path}: {name}"
            n += 1
    assert n > 50


def test_every_page_of_the_folder_is_listed() -> None:
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", (ROOT / "docs/README.md").read_text(encoding="utf-8")))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}


def test_files_that_a_page_names_are_there() -> None:
    for path in PAGES:
        names = re.findall(r"`((?:fas|tests|benchmarks|docs|safety|metrics)/[\w./-]+\.\w+)`", path.read_text("utf-8"))
        assert [name for name in names if "NAME" not in name and not (ROOT / name).exists()] == [], path.name

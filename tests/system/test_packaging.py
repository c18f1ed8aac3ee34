"""What ships: the wheel map in setup.cfg against the folders, and a wheel against the checkout."""

from __future__ import annotations

import ast
import configparser
import importlib.util
import re
import shutil
import site
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from benchmarks.licences import needed, pinned
from fas.cli import main

#: A package of its own: weights/base.
BASE = "fas/models/fas_nli_base/difference.safetensors"
HOMES = {"fas": "fas", "metrics": "fas._metrics", "safety": "fas._safety"}


@pytest.fixture(scope="module")
def wheel_map(root):
    cfg = configparser.ConfigParser()
    cfg.read(root / "setup.cfg")
    return cfg


def files_of(folder):
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def shipped_name(path, root):
    """Where a file of the checkout lies in the wheel."""
    top, *rest = path.relative_to(root).parts
    return "/".join([*HOMES[top].split("."), *rest])


def should_ship(root):
    """Every file of `fas/`, and of the folders in `metrics/` and `safety/` that are modules or tables."""
    found = files_of(root / "fas")
    for top in ("metrics", "safety"):
        for folder in sorted((root / top).iterdir()):
            if folder.is_dir() and folder.name != "__pycache__":
                found += files_of(folder)
    return [path for path in found if path.relative_to(root).as_posix() != BASE]


def test_setup_cfg_lists_every_folder_that_ships_so_that_setuptools_warns_of_none(root, wheel_map):
    listed = wheel_map["options"]["packages"].split()
    expected = {".".join(path.parent.relative_to(root).parts) for path in files_of(root / "fas")}
    for top in ("metrics", "safety"):
        folders = [folder for folder in (root / top).iterdir() if folder.is_dir() and folder.name != "__pycache__"]
        expected |= {f"{HOMES[top]}.{folder.name}" for folder in folders}
    assert set(listed) == expected
    assert len(listed) == len(set(listed))


def test_every_data_file_of_a_package_matches_a_pattern(root, wheel_map):
    packages = wheel_map["options"]["packages"].split()
    patterns = {key: re.split(r"[,\s]+", value.strip()) for key, value in wheel_map["options.package_data"].items()}
    folders = {
        package: root / Path(*package.replace("fas._metrics", "metrics").replace("fas._safety", "safety").split("."))
        for package in packages
    }
    matched = {
        path
        for package, folder in folders.items()
        for pattern in [*patterns.get(package, []), *patterns["*"]]
        for path in folder.glob(pattern)
    }
    left_out = [
        str(path.relative_to(root)) for path in should_ship(root) if path.suffix != ".py" and path not in matched
    ]
    assert left_out == []


def test_every_pattern_for_a_package_matches_something(root, wheel_map):
    for package, value in wheel_map["options.package_data"].items():
        if package != "*":
            folder = root / Path(*package.split("."))
            assert [pattern for pattern in re.split(r"[,\s]+", value.strip()) if not list(folder.glob(pattern))] == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_wheel_holds_the_checkout_and_works_on_its_own(root, tmp_path):
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("building without a network needs setuptools in this environment")
    source = tmp_path / "source"
    source.mkdir()
    for name in ("fas", "metrics", "safety"):
        shutil.copytree(root / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.cfg", "README.md", "LICENSE"):
        shutil.copy(root / name, source)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = subprocess.run(
        [*pip, "wheel", ".", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(tmp_path / "dist")],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (tmp_path / "dist").glob("fact_aligned_score-*.whl")
    held = {name for name in zipfile.ZipFile(wheel).namelist() if not name.split("/")[0].endswith(".dist-info")}
    assert held == {shipped_name(path, root) for path in should_ship(root)}
    assert wheel.stat().st_size <= 90_000_000

    # A fresh environment that sees this one's libraries, but not its editable install of the checkout.
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True, timeout=200)
    (home,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (home / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run(
        [*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)],
        check=True,
        capture_output=True,
        timeout=400,
    )

    def out(*command):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = out(
        str(python), "-c", "import fas; print(fas.__file__); [print(fas.module_path(n)) for n in fas.module_names()]"
    )
    lines = shown.split()
    assert len(lines) > 5
    assert all(Path(line).is_relative_to(home) for line in lines)
    fas = str(tmp_path / "venv" / "bin" / "fas")
    assert out(fas, "profile").split() == sorted(path.stem for path in (root / "fas/core/profiles").glob("*.toml"))
    (tmp_path / "quick.toml").write_text('[verify]\nname = "lexical"\n[run]\nn_resamples = 10\n')
    (tmp_path / "answers.jsonl").write_text(
        '{"prediction": "Ibuprofen reduces fever.", "passages": ["Ibuprofen reduces fever."]}\n'
    )
    table = out(fas, "score", "answers.jsonl", "-o", "out", "--profile", "quick.toml", "--quiet")
    assert re.search(r"^support@5 +1\.0", table, re.MULTILINE)
    assert (tmp_path / "out" / "report.html").stat().st_size > 10_000


def imported(folder):
    """Top-level names that the Python files of *folder* import, wherever in the file."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(str(node.module).partition(".")[0])
    return names


USERS = ("documents", "evaluate", "llm", "medline", "packages", "plots", "tables")


def canonical(name):
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize(
    ("folder", "extras"),
    [
        ("fas", (*USERS, "tune", "serve", "mcp")),
        ("metrics", ("evaluate",)),
        ("tests", (*USERS, "test", "dev", "tune", "serve", "mcp")),
    ],
)
def test_every_package_that_is_imported_is_declared(root, folder, extras):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *(one for name in extras for one in project["optional-dependencies"][name])]
    declared = {canonical(re.match(r"[\w.-]+", one).group()) for one in wanted} | {canonical(project["name"])}
    # What no installed distribution brings is the standard library's or the project's own.
    known = packages_distributions()
    # ppi-python, for one, brings a top-level package called `tests`; that name is the project's own here.
    foreign = [name for name in imported(root / folder) if name in known and not (root / name).is_dir()]
    brought = {name: {canonical(one) for one in known[name]} for name in foreign}
    assert {name: sorted(by) for name, by in brought.items() if not by & declared} == {}


def test_every_package_that_is_required_is_used(root):
    """By an import, or by its version, which a signature names; what only tests use is in the extra `test`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = imported(root / "fas") | imported(root / "metrics")
    brought = {canonical(one) for name, several in packages_distributions().items() if name in names for one in several}
    code = "\n".join(path.read_text(encoding="utf-8") for path in (root / "fas").rglob("*.py"))
    named = {canonical(found) for found in re.findall(r"""\bversion\(["']([\w.-]+)["']\)""", code)}
    required = {canonical(re.match(r"[\w.-]+", one).group()) for one in project["dependencies"]}
    assert required - brought - named == set()


def test_every_package_that_the_core_and_its_extras_need_is_pinned(root):
    pins = pinned(root / "constraints.txt")
    found = {}
    needed("fact-aligned-score", frozenset({"all", "serve"}), found, set())
    missing = {name for name, own in found.items() if own is not None and name.replace(".", "-") not in pins}
    assert missing <= {"fact-aligned-score", "setuptools"}


def test_of_two_pins_of_a_package_the_one_for_this_python_counts(tmp_path):
    (tmp_path / "c.txt").write_text(
        "# pins\nSoup_Sieve==2.0; python_version >= '3.0'\nsoup-sieve==1.0; python_version < '3.0'\n"
    )
    assert pinned(tmp_path / "c.txt") == {"soup-sieve": "2.0"}


@pytest.mark.parametrize(
    ("package", "name", "extra"), [("pyarrow", "a.parquet", "tables"), ("Bio", "a.nbib", "medline")]
)
def test_a_missing_extra_is_one_sentence_with_the_command_that_installs_it(
    package, name, extra, tmp_path, monkeypatch, capsys
):
    for module in [each for each in sys.modules if each.partition(".")[0] == package]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / name).write_text("PMID- 1\nTI  - Rest.\n")
    assert main(["index", "build", str(tmp_path / "index"), "--from", str(tmp_path / name)]) == 2
    said = f"fas: this needs {package}, which is not installed: pip install 'fact-aligned-score[{extra}]'\n"
    assert said in capsys.readouterr().err

"""Who imports whom, against the drawing in ARCHITECTURE.md; what is imported late counts as well."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

SIBLINGS = ("claims", "evidence", "verify", "safety", "reference")
HEAVY = {"evaluate", "torch", "transformers", "spacy"}
# The package itself names what it exports, and the command is the command line's.
ROOTS = {"__init__", "__main__"}


class Drawing(NamedTuple):
    """The boxes with the packages in them, and the arrows between boxes and between packages."""

    boxes: dict[str, list[str]]
    arrows: set[tuple[str, str]]

    def box(self, package: str) -> str | None:
        return next((name for name, packages in self.boxes.items() if package in packages), None)

    def below(self, box: str) -> set[str]:
        """Boxes that arrows lead to from *box*, in one step or several."""
        found: set[str] = set()
        waiting = [box]
        while waiting:
            here = waiting.pop()
            for start, end in self.arrows:
                if start == here and end in self.boxes and end not in found:
                    found.add(end)
                    waiting.append(end)
        return found

    def allows(self, importer: str, imported: str) -> bool:
        start, end = self.box(importer), self.box(imported)
        if start is None or end is None:
            return False
        return (importer, imported) in self.arrows or (start != end and end in self.below(start))


class Import(NamedTuple):
    """A module that imports another, both by their dotted names; *late* inside a function."""

    importer: str
    imported: str
    late: bool


def drawing(root: Path) -> Drawing:
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    mermaid, *_ = re.findall(r"```mermaid\n(.*?)```", text, flags=re.DOTALL)
    boxes: dict[str, list[str]] = {}
    arrows: set[tuple[str, str]] = set()
    current = None
    for line in map(str.strip, mermaid.splitlines()[1:]):
        if found := re.match(r"subgraph (\w+)", line):
            current = boxes.setdefault(found[1], [])
        elif line == "end":
            current = None
        elif found := re.match(r'(\w+)\["', line):
            assert current is not None, f"{line!r} stands in no box"
            current.append(found[1])
        else:
            ends = line.split(" --> ")
            assert len(ends) > 1, f"{line!r} is not understood"
            arrows |= set(pairwise(ends))
    return Drawing(boxes, arrows)


def package(module: str) -> str:
    """`fas.evidence.index` is of the package `evidence`; `fas` itself is `__init__`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def modules(root: Path) -> dict[str, Path]:
    found = {}
    for path in sorted((root / "fas").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path, module: str, known: set[str]) -> Iterator[tuple[str, bool]]:
    """What *path* imports, and whether late; what only type checkers see is left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))

    def visit(node: ast.AST, late: bool) -> Iterator[tuple[str, bool]]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from ((alias.name, late) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                base = child.module or ""
                if child.level:
                    above = module.split(".")[: -child.level] if path.name != "__init__.py" else module.split(".")
                    base = ".".join([*above, *([base] if base else [])])
                for alias in child.names:
                    whole = f"{base}.{alias.name}"
                    yield (whole if whole in known else base), late
            yield from visit(child, late or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda))

    yield from visit(tree, False)


def every_import(root: Path) -> list[Import]:
    known = modules(root)
    return [
        Import(module, name, late) for module, path in known.items() for name, late in imports(path, module, set(known))
    ]


def forbidden(found: list[Import], drawn: Drawing) -> list[str]:
    """What the drawing does not allow, each as `IMPORTER -> IMPORTED`."""
    own = [one for one in found if one.imported.split(".")[0] == "fas" and package(one.importer) not in ROOTS]
    return sorted(
        {
            f"{one.importer} -> {one.imported}"
            for one in own
            if package(one.importer) != package(one.imported)
            and not drawn.allows(package(one.importer), package(one.imported))
        }
    )


@pytest.fixture(scope="module")
def drawn(root: Path) -> Drawing:
    return drawing(root)


@pytest.fixture(scope="module")
def found(root: Path) -> list[Import]:
    return every_import(root)


def test_every_package_is_in_the_drawing_and_every_box_holds_what_there_is(root: Path, drawn: Drawing) -> None:
    there = {package(name) for name in modules(root)} - ROOTS - {"profiles"}  # profiles are data
    assert {name for packages in drawn.boxes.values() for name in packages} == there


def test_every_import_follows_an_arrow(found: list[Import], drawn: Drawing) -> None:
    assert len(found) > 500
    assert forbidden(found, drawn) == []


def test_no_arrow_joins_two_kinds_of_parts_and_none_leads_round_in_a_circle(drawn: Drawing) -> None:
    assert [arrow for arrow in drawn.arrows if set(arrow) <= set(SIBLINGS)] == []
    graph: dict[str, set[str]] = defaultdict(set)
    for start, end in drawn.arrows:
        graph[start].add(end)
    TopologicalSorter(graph).prepare()  # a CycleError names the circle


def test_no_module_needs_itself_to_be_imported(found: list[Import]) -> None:
    needs: dict[str, set[str]] = defaultdict(set)
    for one in found:
        if not one.late and one.imported.split(".")[0] == "fas" and one.imported != one.importer:
            needs[one.importer].add(one.imported)
    TopologicalSorter(needs).prepare()  # a CycleError names the circle


def test_nothing_heavy_is_imported_with_the_package_or_its_command_line(found: list[Import]) -> None:
    at_once: dict[str, set[str]] = defaultdict(set)
    for one in found:
        if not one.late:
            at_once[one.importer].add(one.imported)
    reached: set[str] = set()
    waiting = [name for name in list(at_once) if name == "fas" or name.startswith(("fas.cli", "fas.core.parts"))]
    waiting += ["fas.api", "fas.pipeline", "fas.core.profile", "fas.core.records", "fas.core.errors"]
    while waiting:
        here = waiting.pop()
        if here not in reached:
            reached.add(here)
            waiting += at_once.get(here, ())
    assert sorted({name.split(".")[0] for name in reached} & HEAVY) == []


def test_only_one_module_names_the_files_of_results(root):
    """`fas.results` reads them, and who makes their paths takes the names from `fas.core.files.own`."""
    files = re.compile(r"(.*/)?(scores\.jsonl|report\.json|run\.json)")
    naming = {
        str(path.relative_to(root))
        for path in (root / "fas").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and files.fullmatch(node.value)
    }
    assert naming == {"fas/core/files/own.py"}

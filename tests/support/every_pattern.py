"""Every compiled pattern of the package, and texts that make it work: what `test_patterns_pumped.py` runs.

A pattern runs on where one of its repeats takes again what another has taken, so the texts repeat what its own repeats
match: the characters of their sets and their shortest matches, behind each way the pattern can begin.
"""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as sre_parser  # type: ignore[import-not-found]
import sys
import types
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import Any

import fas
from fas.text.reading.pattern_tables import Patterns

ROOT = Path(fas.__file__).parent
METHODS = {"match": "match", "fullmatch": "fullmatch"}
#: Packages of extras that the tests do without; what needs them is told by tests of its own.
OPTIONAL = frozenset({"mcp"})
USES = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "subn")
#: What answers are full of, beside what a pattern's own repeats match.
FIXED = (*' a1-.#"(é\n', "a ", "1 ", ". ", ", ", "no ", "my ", "take 5 mg ", "* ", "| ")
TAILS = ("", "\x00", "x")


def import_all() -> None:
    """Imports every module of the package."""
    for module in pkgutil.walk_packages(fas.__path__, "fas."):
        if not module.name.endswith("__main__"):
            try:
                importlib.import_module(module.name)
            except ImportError as error:
                # What an extra brings may not be installed; some modules say in their own words how to install it.
                missing = error if isinstance(error, ModuleNotFoundError) else error.__cause__
                if not isinstance(missing, ModuleNotFoundError) or (missing.name or "fas").split(".")[0] == "fas":
                    raise


def _inside(thing: Any) -> Iterator[tuple[str, Any]]:
    """What *thing* holds, with a name where it has one."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield (key if isinstance(key, str) else ""), value
            yield "", key
    elif isinstance(thing, tuple | list | set | frozenset):
        yield from (("", item) for item in thing)
    elif isinstance(thing, _lru_cache_wrapper | types.FunctionType | types.CellType | types.MethodType):
        yield from (("", item) for item in gc.get_referents(thing) if item is not getattr(thing, "__globals__", None))
    elif isinstance(thing, type) or type(thing).__module__.startswith("fas."):
        yield from getattr(thing, "__dict__", {}).items()
        if not isinstance(thing, type):
            slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
            yield from ((name, getattr(thing, name, None)) for name in slots)


def held(modules: dict[str, Any]) -> dict[re.Pattern[Any], tuple[str, str]]:
    """Every pattern that *modules* hold, however deep, to the module and the name it was found under."""
    found: dict[re.Pattern[Any], tuple[str, str]] = {}
    seen: set[int] = set()
    todo = [(name, key, value) for name, module in modules.items() for key, value in vars(module).items()]
    while todo:
        where, name, thing = todo.pop()
        if isinstance(thing, re.Pattern):
            if where not in {"", name}:
                found.setdefault(thing, (where, name))
            continue
        if id(thing) in seen or isinstance(thing, str | bytes | int | float | types.ModuleType):
            continue
        if isinstance(thing, Patterns):
            where = table_of(thing)
        if isinstance(thing, type | types.FunctionType | _lru_cache_wrapper):
            where = getattr(thing, "__module__", None) or where
            if not where.startswith("fas."):
                continue
        seen.add(id(thing))
        todo += [(where, key or name, value) for key, value in _inside(thing)]
    return found


def table_of(patterns: Patterns) -> str:
    """The name a table of patterns goes by in every module: `CUES` for `cues.tsv`."""
    return patterns._path.stem.upper()


def in_calls() -> Iterator[tuple[re.Pattern[str], str, str]]:
    """Patterns that stand in a call (`re.sub("...", ...)`), with the file and the method."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.func.attr in USES
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                yield re.compile(node.args[0].value), str(path.relative_to(ROOT)), METHODS.get(node.func.attr, "search")


def methods() -> dict[tuple[str, str], set[str]]:
    """Modules ("" for all; tables of patterns), and names, to the methods called on them: match, fullmatch, search."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in ROOT.rglob("*.py"):
        module = ".".join(("fas", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in USES:
                owner = node.value
                name = getattr(owner, "id", getattr(owner, "attr", ""))
                table = getattr(getattr(owner, "value", None), "id", "")
                for where in (module, "", table):
                    found.setdefault((where, name), set()).add(METHODS.get(node.attr, "search"))
    return found


def collected(run: Any) -> dict[tuple[str, int], tuple[str, set[str]]]:
    """Every pattern of the package, as source and flags, to where it is and how it is used.

    Args:
        run: Puts texts through the package; what is compiled meanwhile by a line of it is collected too.
    """
    import_all()
    compile_ = re._compile  # type: ignore[attr-defined]
    found: dict[tuple[str, int], tuple[str, set[str]]] = {}
    names = methods()

    def add(pattern: re.Pattern[Any], where: str, used: set[str]) -> None:
        if isinstance(pattern.pattern, str):
            _, before = found.setdefault((pattern.pattern, pattern.flags), (where, set()))
            before |= used

    def watched(pattern: Any, flags: int) -> re.Pattern[Any]:
        compiled: re.Pattern[Any] = compile_(pattern, flags)
        frame = sys._getframe(1)
        how = frame.f_code.co_name  # the function of `re` that was called
        while frame.f_back is not None and frame.f_code.co_filename == re.__file__:
            frame = frame.f_back
        if frame.f_code.co_filename.startswith(str(ROOT)):
            where = f"{Path(frame.f_code.co_filename).relative_to(ROOT)}:{frame.f_lineno}"
            add(compiled, where, set() if how == "compile" else {METHODS.get(how, "search")})
        return compiled

    re._compile = watched  # type: ignore[attr-defined]
    try:
        run()
    finally:
        re._compile = compile_  # type: ignore[attr-defined]
    modules = {name: module for name, module in sys.modules.items() if name.startswith("fas.")}
    for pattern, (module, name) in held(modules).items():
        # A name with an underscore is used in its own module, one of a table by the table; others wherever imported.
        where = module if name.startswith("_") or module.isupper() else ""
        add(pattern, f"{module}.{name}", names.get((where, name), set()))
    for pattern, where, method in in_calls():
        add(pattern, where, {method})
    return {key: (where, used or {"match", "fullmatch", "search"}) for key, (where, used) in found.items()}


_OF_CATEGORY = {
    sre.CATEGORY_DIGIT: "1", sre.CATEGORY_SPACE: " ", sre.CATEGORY_WORD: "a",
    sre.CATEGORY_NOT_DIGIT: "a", sre.CATEGORY_NOT_SPACE: "a", sre.CATEGORY_NOT_WORD: "-",
}  # fmt: skip
_REPEATS = (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT)
_MANY = 8  # a repeat of fewer cannot grow with the text


class Units:
    """What the repeats of a pattern match, and what stands before them.

    Attributes:
        repeated: Texts to be repeated.
        fronts: Shortest texts that lead to a repeat; "" first.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self._found: dict[str, None] = {}
        self._fronts: dict[str, None] = {"": None}
        self._optional: list[str] = []
        whole = self._walk(sre_parser.parse(pattern, flags & ~re.DEBUG), "")
        for unit in (whole, f"{whole} ", *self._optional, *FIXED):
            self._add(unit)
        self.repeated = list(self._found)
        self.fronts = list(self._fronts)[:12]

    def _add(self, unit: str) -> None:
        if 0 < len(unit) <= 60:
            self._found.setdefault(unit)

    def _walk(self, tree: Any, front: str) -> str:
        """A short match of *tree*."""
        out = ""
        for op, value in tree:
            out += self._node(op, value, front + out)
        return out

    def _node(self, op: Any, value: Any, front: str) -> str:
        if op is sre.LITERAL:
            return chr(value)
        if op is sre.NOT_LITERAL:
            return "b" if value == ord("a") else "a"
        if op is sre.ANY:
            return "a"
        if op is sre.IN:
            return _characters(value)[0]
        if op is sre.BRANCH:
            ways = [self._walk(branch, front) for branch in value[1]]  # all, for the repeats within
            return ways[0]
        if op is sre.SUBPATTERN:
            return self._walk(value[3], front)
        if op is sre.ATOMIC_GROUP:
            return self._walk(value, front)
        if op in _REPEATS:
            low, high, body = value
            one = self._walk(body, front)
            if high < _MANY:
                self._optional.append(one)
            else:
                self._fronts.setdefault(front)
                for unit in (one, *self._ways(body)):
                    self._add(unit)
                    self._add(front + unit)
            return one * low
        return ""

    def _ways(self, body: Any) -> list[str]:
        """Other texts that *body* matches."""
        nodes = list(body)
        if len(nodes) == 1:
            op, value = nodes[0]
            if op is sre.IN:
                return _characters(value)
            if op is sre.SUBPATTERN:
                return self._ways(value[3])
            if op is sre.BRANCH:
                return [self._walk(branch, "") for branch in value[1]]
        return ["".join(self._walk(value[2], "") * max(1, value[0]) if op in _REPEATS else self._node(op, value, "")
                        for op, value in nodes)]  # fmt: skip


def _characters(items: Any) -> list[str]:
    """Characters that a set matches: one of each of its parts."""
    named = [
        chr(value) if op is sre.LITERAL else chr(value[0]) if op is sre.RANGE else _OF_CATEGORY[value]
        for op, value in items
        if op in (sre.LITERAL, sre.RANGE, sre.CATEGORY)
    ]
    if items[0][0] is not sre.NEGATE:
        return list(dict.fromkeys(named))
    return [c for c in "a 1-.|\n" if not any(_holds(item, c) for item in items)][:3] or ["α"]


def _holds(item: Any, character: str) -> bool:
    op, value = item
    if op is sre.LITERAL:
        return bool(value == ord(character))
    if op is sre.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    if op is sre.CATEGORY:
        kind = re.compile({"1": r"\d", " ": r"\s", "a": r"\w"}[_OF_CATEGORY[value]] if "NOT" not in str(value) else
                          {sre.CATEGORY_NOT_DIGIT: r"\D", sre.CATEGORY_NOT_SPACE: r"\S"}.get(value, r"\W"))  # fmt: skip
        return kind.fullmatch(character) is not None
    return False


def texts(pattern: str, flags: int, used: set[str]) -> Iterator[tuple[str, str, str, str]]:
    """Method, front, repeated unit and tail, for each text that the pattern is to be tried on."""
    units = Units(pattern, flags)
    for method in sorted(used):
        for unit in units.repeated:
            for front in units.fronts if method != "search" else [""]:
                for tail in TAILS:
                    yield method, front, unit, tail


def run(pattern: re.Pattern[str], method: str, text: str) -> None:
    """All that *method* looks at in *text*."""
    if method == "search":
        for _ in pattern.finditer(text):
            pass
    else:
        getattr(pattern, method)(text)

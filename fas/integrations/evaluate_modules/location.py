"""Where the loadable `evaluate` modules live, in a checkout and in a wheel alike."""

from __future__ import annotations

import hashlib
import os
import tempfile
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from fas.core.arguments import suggest_arguments
from fas.core.loading import import_extra

_PACKAGE = Path(__file__).resolve().parents[2]
# A wheel carries the folders inside the package; a checkout keeps them beside it.
_ROOTS = (
    (_PACKAGE / "_metrics", _PACKAGE.parent / "metrics"),
    (_PACKAGE / "_safety", _PACKAGE.parent / "safety"),
)

# Names of evaluate's own metrics, which mean something else to whoever loads them.
_OF_EVALUATE = frozenset({"bertscore", "bleu", "rouge"})


def module_names() -> list[str]:
    """Names that `module_path` accepts, sorted."""
    return sorted(_scripts())


@suggest_arguments
def module_path(name: str) -> str:
    """What to hand to `evaluate.load` for the module called *name*; works from any folder.

    Raises:
        ValueError: No module has that name; the message lists those that exist.
    """
    scripts = _scripts()
    if name not in scripts:
        close = get_close_matches(name, scripts, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ";"
        raise ValueError(f"no evaluate module {name!r}{hint} available: {', '.join(sorted(scripts))}")
    return str(scripts[name])


def list_taken_names() -> list[str]:
    """Names of modules here that evaluate has one of its own for, sorted."""
    return [name for name in module_names() if name in _OF_EVALUATE]


def register(modules_cache: Path | None = None, *, replace: bool = False) -> list[Path]:
    """Put every module where `evaluate.load(name)` finds it without a network, from any folder.

    evaluate looks there only after the working folder and the hub, and takes the newest copy.
    Earlier copies that this function made are removed if they are as it made them; all others are left,
    and are older.

    Args:
        modules_cache: evaluate's folder of modules; by default the one it is configured to use
            (`HF_MODULES_CACHE`).
        replace: Also take the names in `list_taken_names`, under which evaluate would load other modules.

    Returns:
        The script of each module that was put there, in the order of `module_names`.

    Raises:
        OSError: The folder cannot be written.
    """
    if modules_cache is None:
        evaluate = import_extra("evaluate", "evaluate")
        modules_cache = Path(evaluate.config.HF_MODULES_CACHE)
    home = modules_cache / "evaluate_modules" / "metrics"
    names = [name for name in module_names() if replace or name not in _OF_EVALUATE]
    return [_register(name, Path(module_path(name)), home / f"evaluate-metric--{name}") for name in names]


def _register(name: str, script: Path, folder: Path) -> Path:
    content = script.read_bytes()
    # evaluate accepts any name of 64 characters; the content's hash makes this idempotent.
    target = folder / hashlib.sha256(content).hexdigest() / f"{name}.py"
    target.parent.mkdir(parents=True, exist_ok=True)
    for other in folder.glob(f"*/{name}.py"):
        # The folder's name is the hash of what we wrote there: a copy that was changed since is not ours.
        if other != target and hashlib.sha256(other.read_bytes()).hexdigest() == other.parent.name:
            _remove_copy(other)
    # Written beside and renamed, so that a process loading it meanwhile never sees half of it.
    handle, temporary = tempfile.mkstemp(dir=target.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    Path(temporary).replace(target)
    return target


def _remove_copy(script: Path) -> None:
    """Remove the script, and its folder if nothing of anybody else's is left in it."""
    script.unlink()
    for compiled in script.parent.glob(f"__pycache__/{script.stem}.*.pyc"):
        compiled.unlink()
    with suppress(OSError):
        (script.parent / "__pycache__").rmdir()
    with suppress(OSError):
        script.parent.rmdir()


def _scripts() -> dict[str, Path]:
    scripts = {"fas": _PACKAGE / "fas.py"}
    for shipped, checkout in _ROOTS:
        folder = shipped if shipped.is_dir() else checkout
        for script in folder.glob("*/*.py"):
            if script.stem == script.parent.name:
                scripts[script.stem] = script
    return scripts

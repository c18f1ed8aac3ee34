"""The settings of a revision, and the folder they are pinned in."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from filelock import FileLock, Timeout

from fas.checks import whole_number
from fas.errors import FolderInUse, InputError, ProfileError
from fas.files.own import replacing
from fas.leaf.knowledge import Trigger, Whose
from fas.parts import verifiers
from fas.parts.language_models import asks_model
from fas.profile import Profile

First = Literal["plain", "rag"]
Final = Literal["last", "best"]
MAX_DOCUMENTS = 20


@dataclass(frozen=True, slots=True)
class Revising:
    """How answers are revised.

    Attributes:
        generate: Options of the generator (`fas.leaf.generator.ChatGenerator`), `model` among them.
        max_iterations: How often a question is answered again, at most; 0 only checks.
        trigger: Which claims are a reason to: see `fas.leaf.knowledge.Knowledge`. None: `contradicted` for a verifier
            that tells it from unsupported, as missing evidence would flag nearly every answer; else `unsupported`.
        knowledge: Whose documents go into the next prompt.
        max_documents: At most so many documents in a prompt.
        first: `plain` asks the question alone, `rag` with the documents that the question finds.
        final: `last` takes the last answer, `best` the one with the highest score.
        last_check: Check the answers of the last round, too.
    """

    generate: Mapping[str, Any] = field(default_factory=dict)
    max_iterations: int = 1
    trigger: Trigger | None = None
    knowledge: Whose = "unsupported"
    max_documents: int = MAX_DOCUMENTS
    first: First = "plain"
    final: Final = "last"
    last_check: bool = True

    def __post_init__(self) -> None:
        try:
            whole_number("max_iterations", self.max_iterations, least=0)
            whole_number("max_documents", self.max_documents)
        except ValueError as error:
            raise ProfileError(str(error)) from error
        for name, value, kinds in (("first", self.first, First), ("final", self.final, Final)):
            if value not in get_args(kinds):
                raise ProfileError(f"`{name}` must be one of {', '.join(get_args(kinds))}, got {value!r}")
        if self.final == "best" and not self.last_check:
            raise ProfileError(
                "the best answer needs a check of the last one: leave out --no-last-check or --final best"
            )
        if not self.last_check and self.max_iterations == 0:
            raise ProfileError(
                "without a check of the first answers there is nothing to revise: --no-last-check needs a round"
            )

    def trigger_for(self, profile: Profile) -> Trigger:
        """The trigger, by the verifier of *profile* where none was named."""
        if self.trigger is not None:
            return self.trigger
        two_labels = asks_model(verifiers, profile.verify.name) and profile.verify.options.get("labels", 2) == 2
        return "unsupported" if two_labels else "contradicted"


@contextmanager
def locked(out: Path) -> Iterator[None]:
    """*out*, made if need be, and held by this process.

    Raises:
        FolderInUse: Another process holds it.
        InputError: It cannot be written.
    """
    lock = FileLock(out / ".revise.lock")
    try:
        out.mkdir(parents=True, exist_ok=True)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise FolderInUse(
            f"{out}: another run is writing this folder; wait for it, or give another folder with -o"
        ) from error
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}", kind="unwritable") from error
    try:
        yield
    finally:
        lock.release()


def pin(path: Path, settings: Mapping[str, str]) -> None:
    """Write *settings* to *path*, or check that they are those of the run that wrote it.

    Raises:
        InputError: They are others.
    """
    if path.exists():
        try:
            earlier = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise InputError(
                f"{path}: cannot be read ({error}); give another folder with -o", kind="other_run"
            ) from error
        for key in dict.fromkeys((*earlier, *settings)):
            if earlier.get(key) != settings.get(key):
                raise InputError(
                    f"{path.parent}: holds results of another run: {key!r} was {earlier.get(key)!r}, now it is "
                    f"{settings.get(key)!r}; give another folder with -o",
                    kind="other_run",
                )
        return
    try:
        with replacing(path) as out:
            out.write(json.dumps(dict(settings), indent=2, ensure_ascii=False) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}", kind="unwritable") from error

"""Prompts as files: a system and a user message with placeholders, versioned and pinned by a hash.

A prompt is a TOML file:

    version = 1         # raised whenever a word changes
    system = "..."      # may be missing
    user = "..."        # {statement}, {knowledge}, ... stand for what is filled in

A paragraph of the user message with a placeholder that has no value is left out. Other braces are plain text.
Built-in prompts are called `NAME.vVERSION.toml`; an old version stays, so that an old score can be made again.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from fas.core.checks import is_whole
from fas.core.errors import ProfileError
from fas.core.files.plain import parse_toml
from fas.llm.messages import Message

FIELDS: Mapping[str, type] = {"version": int, "system": str, "user": str}
_FILE = re.compile(r".+\.v\d+\.toml")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt, read from its file; *digest*: first eight hexadecimal digits of the SHA-256 of both messages."""

    name: str
    version: int
    system: str | None
    user: str
    placeholders: tuple[str, ...]
    digest: str

    @property
    def signature(self) -> str:
        """Version and hash, e.g. `1-5f0c2a9b`."""
        return f"{self.version}-{self.digest}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """What a placeholder looks like; its name is the group."""
        return re.compile("{(" + "|".join(map(re.escape, self.placeholders)) + ")}")

    def text(self, values: Mapping[str, str | None]) -> str:
        """The user message with *values* filled in; what is filled in is not searched for placeholders again."""
        pattern = self.pattern
        paragraphs = [
            part
            for part in re.split(r"\n\s*\n", self.user.strip())
            if all(values.get(name) for name in pattern.findall(part))
        ]
        return pattern.sub(lambda match: values[match[1]] or "", "\n\n".join(paragraphs))

    def messages(self, values: Mapping[str, str | None]) -> tuple[Message, ...]:
        """The messages with *values* filled in."""
        system = () if self.system is None else (Message("system", self.system.strip()),)
        return (*system, Message("user", self.text(values)))


def load_prompt_file(
    source: str, *, package: str, placeholders: Collection[str], required: Collection[str]
) -> PromptFile:
    """The built-in prompt called *source*, or the one in the file *source* (its name ends in `.toml`).

    *source* is `query` for the newest version, `query.v1` for that one, or a path. The caller has values for
    *placeholders*, of which the prompt must have the *required* ones.

    Raises:
        ProfileError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    name, raw = read_prompt(source, package=package, fields=FIELDS, needed=("version", "user"))
    for placeholder in required:
        if f"{{{placeholder}}}" not in raw["user"]:
            raise ProfileError(f"prompt {name}: field 'user' has no {{{placeholder}}}")
    system, user = raw.get("system"), raw["user"]
    return PromptFile(name, raw["version"], system, user, tuple(placeholders), digest_of(system or "", user))


def prompt_names(package: str) -> list[str]:
    """The built-in prompts of *package* with their versions, sorted, e.g. `query.v1`."""
    return sorted(item.name.removesuffix(".toml") for item in files(package).iterdir() if _FILE.fullmatch(item.name))


def digest_of(system: str, user: str) -> str:
    """What pins the words of a prompt: eight hexadecimal digits of their SHA-256."""
    return hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()[:8]


def read_prompt(
    source: str, *, package: str, fields: Mapping[str, type], needed: Collection[str]
) -> tuple[str, dict[str, Any]]:
    """The name of the prompt called *source* and the fields of its file.

    *fields* are all that a file may have and their types, *needed* those that it must have; else a ProfileError.
    """
    name, data = _read_prompt(source, package)
    try:
        _, raw = parse_toml(data)
    except ValueError as error:
        raise ProfileError(f"prompt {name}: not valid TOML: {error}") from error
    for key, value in raw.items():
        if key not in fields:
            raise ProfileError(f"prompt {name}: unknown field {key!r}; allowed: {', '.join(fields)}")
        if key == "version" and (not is_whole(value) or value < 1):
            raise ProfileError(f"prompt {name}: field 'version' must be a whole number of at least 1, got {value!r}")
        if not isinstance(value, fields[key]) or isinstance(value, bool):
            raise ProfileError(f"prompt {name}: field {key!r} must be of type {fields[key].__name__}, got {value!r}")
    for key in needed:
        if key not in raw:
            raise ProfileError(f"prompt {name}: field {key!r} is missing")
    return name, raw


def _read_prompt(source: str, package: str) -> tuple[str, bytes]:
    """The name of a prompt and the bytes of its file."""
    if source.endswith(".toml"):
        try:
            return source, Path(source).read_bytes()
        except OSError as error:
            raise ProfileError(f"prompt {source}: cannot be read: {error}") from error
    versions = {name: int(name.rpartition(".v")[2]) for name in prompt_names(package)}
    own = [name for name in versions if source in (name, name.rpartition(".v")[0])]
    if not own:
        raise ProfileError(
            f"no prompt named {source!r}; built in: {', '.join(versions)}. Or give the path of a .toml file."
        )
    name = max(own, key=versions.__getitem__)
    return name, (files(package) / f"{name}.toml").read_bytes()

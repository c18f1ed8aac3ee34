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
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fas.errors import ProfileError
from fas.llm.messages import Message

_FIELDS = {"version": int, "system": str, "user": str}


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt, read from its file.

    Attributes:
        name: Name of the built-in prompt with its version, or the file.
        version: Its version.
        system: The system message, or None.
        user: The user message with placeholders.
        placeholders: The names that are filled in.
        digest: First eight hexadecimal digits of the SHA-256 of both messages.
    """

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

    def text(self, values: Mapping[str, str | None]) -> str:
        """The user message with *values* filled in; what is filled in is not searched for placeholders again."""
        pattern = re.compile("{(" + "|".join(map(re.escape, self.placeholders)) + ")}")
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

    Args:
        source: `query` for the newest version, `query.v1` for that one, or a path.
        package: Package of the built-in prompts.
        placeholders: Those that the caller has values for.
        required: Those without which the prompt makes no sense.

    Raises:
        ProfileError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    if source.endswith(".toml"):
        name = source
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ProfileError(f"prompt {source}: cannot be read: {error}") from error
    else:
        folder = files(package)
        names = [item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml")]
        versions = {one: int(match[2]) for one in names if (match := re.fullmatch(r"(.+)\.v(\d+)", one))}
        own = [one for one in versions if source in (one, one.rpartition(".v")[0])]
        if not own:
            raise ProfileError(
                f"no prompt named {source!r}; built in: {', '.join(sorted(versions))}. Or give the path of a .toml file"
            )
        name = max(own, key=versions.__getitem__)
        text = (folder / f"{name}.toml").read_text(encoding="utf-8")
    return _parse(text, name, tuple(placeholders), required)


def _parse(text: str, name: str, placeholders: tuple[str, ...], required: Collection[str]) -> PromptFile:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"prompt {name}: not valid TOML: {error}") from error
    for key, value in raw.items():
        if key not in _FIELDS:
            raise ProfileError(f"prompt {name}: unknown field {key!r}; allowed: {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[key]) or isinstance(value, bool):
            raise ProfileError(f"prompt {name}: field {key!r} must be of type {_FIELDS[key].__name__}, got {value!r}")
    missing = [key for key in ("version", "user") if key not in raw]
    if missing:
        raise ProfileError(f"prompt {name}: field {missing[0]!r} is missing")
    for placeholder in required:
        if f"{{{placeholder}}}" not in raw["user"]:
            raise ProfileError(f"prompt {name}: field 'user' has no {{{placeholder}}}")
    digest = hashlib.sha256(f"{raw.get('system', '')}\0{raw['user']}".encode()).hexdigest()[:8]
    return PromptFile(name, raw["version"], raw.get("system"), raw["user"], placeholders, digest)

"""Prompt files: instructions, examples and the request, with a version and a hash of their content.

A file is TOML:

    name = "medscore"      # of the method it is for
    version = 1            # a whole number, raised with every change
    reply = "lines"        # the form of the reply, see `fas.claims.llm.replies`
    system = '''...'''     # {examples} is where the examples go
    user = '''...'''       # the request, with {context}, {sentence}, ... in it

    [[examples]]           # any number
    context = "..."        # a value for each of the request's placeholders
    sentence = "..."
    reply = "..."          # what the model should answer

Placeholders are words in single braces; other braces (JSON) are left as they are.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from fas.checks import is_whole
from fas.errors import ProfileError
from fas.llm.messages import Message

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_FILE = re.compile(r"(?P<name>[a-z_]+)\.v(?P<version>\d+)\.toml")
_FIELDS = ("name", "version", "description", "reply", "system", "user", "examples")


@dataclass(frozen=True, slots=True)
class PromptFile:
    """A prompt as its file has it.

    Attributes:
        name: The method it is for.
        version: Raised with every change of a built-in prompt.
        reply: The form of the reply.
        system: Instructions with the examples in place; may be empty.
        user: The request, with placeholders.
        digest: First eight hexadecimal digits of the SHA-256 of both messages, examples included.
        examples: The values and the reply of each example.
    """

    name: str
    version: int
    reply: str
    system: str
    user: str
    digest: str
    examples: tuple[Mapping[str, str], ...] = ()

    @property
    def signature(self) -> str:
        """Version and hash, e.g. `1-abcdef12`."""
        return f"{self.version}-{self.digest}"

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The conversation that asks for *values*; a value may hold braces, they are not read again."""
        request = Message("user", _fill(self.user, values))
        return (Message("system", self.system), request) if self.system else (request,)


def load_prompt(source: str, *, reply: str, allowed: frozenset[str], required: frozenset[str]) -> PromptFile:
    """A built-in prompt (`medscore` for its newest version, `medscore.v1` for that one) or a `.toml` file.

    Args:
        source: Name or path.
        reply: The form of reply that the caller can read.
        allowed: Placeholders that the caller has values for.
        required: Those of them without which the request makes no sense.

    Raises:
        ProfileError: There is no such prompt, or the file is not a usable prompt; the message
            names the file and the field.
    """
    if source.endswith(".toml"):
        path = Path(source)
        try:
            data = path.read_bytes()
        except OSError as error:
            raise ProfileError(f"prompt {source}: cannot be read: {error}") from error
        return _read(data, source, reply, allowed, required)
    name, data = _built_in(source)
    return _read(data, name, reply, allowed, required)


def prompt_names() -> list[str]:
    """The built-in prompts with their versions, sorted, e.g. `medscore.v1`."""
    return sorted(item.name.removesuffix(".toml") for item in _folder().iterdir() if _FILE.fullmatch(item.name))


def _folder() -> Any:
    return files("fas.claims") / "prompts"


def _built_in(source: str) -> tuple[str, bytes]:
    versions = {name: int(name.rpartition(".v")[2]) for name in prompt_names()}
    own = [name for name in versions if source in (name, name.rpartition(".v")[0])]
    if not own:
        raise ProfileError(
            f"no prompt named {source!r}; built in: {', '.join(sorted(versions))}. Or give the path of a .toml file."
        )
    name = max(own, key=versions.__getitem__)
    return name, (_folder() / f"{name}.toml").read_bytes()


def _read(data: bytes, origin: str, reply: str, allowed: frozenset[str], required: frozenset[str]) -> PromptFile:
    try:
        raw = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProfileError(f"prompt {origin}: not valid TOML: {error}") from error
    unknown = sorted(set(raw) - set(_FIELDS))
    if unknown:
        raise ProfileError(f"prompt {origin}: field {unknown[0]!r} is unknown; allowed: {', '.join(_FIELDS)}")
    user = _text(raw, "user", origin)
    if not user:
        raise ProfileError(f"prompt {origin}: field 'user' is missing; it is the request, with {_named(required)}")
    version = raw.get("version", 1)
    if not is_whole(version) or version < 1:
        raise ProfileError(f"prompt {origin}: field 'version' must be a whole number of at least 1, got {version!r}")
    form = raw.get("reply", reply)
    if form != reply:
        raise ProfileError(f"prompt {origin}: field 'reply' must be {reply!r} for this method, got {form!r}")
    _check_placeholders(user, origin, allowed, required)
    examples = _examples(raw.get("examples", []), origin, user)
    system = _text(raw, "system", origin)
    shown = "\n\n".join(f"{_fill(user, example)}\n{example['reply']}" for example in examples)
    if "{examples}" in system:
        system = system.replace("{examples}", shown)
    elif examples:
        raise ProfileError(f"prompt {origin}: there are examples, but field 'system' does not say {{examples}}")
    digest = hashlib.sha256(f"{system}\0{user}".encode()).hexdigest()[:8]
    return PromptFile(_text(raw, "name", origin) or Path(origin).stem, version, form, system, user, digest, examples)


def _text(raw: Mapping[str, Any], field: str, origin: str) -> str:
    value = raw.get(field, "")
    if not isinstance(value, str):
        raise ProfileError(f"prompt {origin}: field {field!r} must be a string, got {value!r}")
    return value.strip()


def _check_placeholders(user: str, origin: str, allowed: frozenset[str], required: frozenset[str]) -> None:
    used = set(_PLACEHOLDER.findall(user))
    if used - allowed:
        found = sorted(used - allowed)[0]
        raise ProfileError(f"prompt {origin}: field 'user' says {{{found}}}; allowed: {_named(allowed)}")
    if required - used:
        raise ProfileError(f"prompt {origin}: field 'user' does not say {_named(required - used)}")


def _examples(raw: Any, origin: str, user: str) -> tuple[dict[str, str], ...]:
    needed = {*_PLACEHOLDER.findall(user), "reply"}
    if not isinstance(raw, list):
        raise ProfileError(f"prompt {origin}: field 'examples' must be a list of tables ([[examples]])")
    for number, example in enumerate(raw, start=1):
        if (
            not isinstance(example, dict)
            or set(example) != needed
            or not all(isinstance(v, str) for v in example.values())
        ):
            raise ProfileError(
                f"prompt {origin}: example {number} must have the strings {', '.join(sorted(needed))}, got "
                f"{', '.join(sorted(example)) if isinstance(example, dict) else repr(example)}"
            )
    return tuple({key: value.strip() for key, value in example.items()} for example in raw)


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group()), template)


def _named(placeholders: frozenset[str] | set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(placeholders))

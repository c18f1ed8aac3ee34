"""Prompts as files: what a verifier says to a language model, versioned and pinned by a hash.

A prompt is a TOML file:

    version = 1         # raised whenever a word changes
    labels = 2          # 2: True or False (not supported); 3: True, False (contradicted) or Unclear
    system = "..."      # may be missing
    user = "..."

`{claim}`, `{passages}`, `{context}` and `{question}` stand for what is judged. A paragraph of the
user message with a placeholder that has no value (no question is known, the claim has no longer
form) is left out. Other braces are plain text. Built-in prompts are called `NAME-LABELS.vVERSION.toml`;
an old version stays, so that an old score can be made again.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from fas.errors import ProfileError
from fas.llm.messages import Message

PLACEHOLDERS = ("claim", "passages", "context", "question")
_PLACEHOLDER = re.compile("{(" + "|".join(PLACEHOLDERS) + ")}")
_FILE = re.compile(r"(?P<name>[a-z]+(?:-[a-z]+)*-[23])\.v(?P<version>\d+)")
_FIELDS = {"version": int, "labels": int, "system": str, "user": str}


@dataclass(frozen=True, slots=True)
class VerifierPrompt:
    """A prompt, read from its file.

    Attributes:
        name: Name of the built-in prompt with its version, or the file.
        version: Its version.
        labels: How many verdicts it offers, 2 or 3.
        system: The system message, or None.
        user: The user message with placeholders.
        digest: First eight hexadecimal digits of the SHA-256 of both messages.
    """

    name: str
    version: int
    labels: int
    system: str | None
    user: str
    digest: str

    @property
    def signature(self) -> str:
        """Version and hash, e.g. `1-5f0c2a9b`."""
        return f"{self.version}-{self.digest}"

    @property
    def instructions(self) -> str:
        """The words of both messages that are the same for every claim."""
        return "\n\n".join(part for part in (self.system, _PLACEHOLDER.sub(" … ", self.user)) if part)

    def messages(self, values: Mapping[str, str | None]) -> tuple[Message, ...]:
        """The messages with *values* filled in.

        What is filled in is not searched for placeholders again: a claim may say "{claim}".
        """
        paragraphs = [
            part
            for part in re.split(r"\n\s*\n", self.user.strip())
            if all(values.get(name) for name in _PLACEHOLDER.findall(part))
        ]
        user = _PLACEHOLDER.sub(lambda match: values[match[1]] or "", "\n\n".join(paragraphs))
        system = () if self.system is None else (Message("system", self.system.strip()),)
        return (*system, Message("user", user))


def load_prompt(source: str, *, labels: int | None = None) -> VerifierPrompt:
    """The built-in prompt called *source*, or the one in the file *source* (its name ends in `.toml`).

    Args:
        source: `internal`, `provided`, `retrieved` or `dnd` for the newest version, `internal-2.v1`
            for that one, or a path.
        labels: Verdicts the prompt is to offer; 2 by default, or what the file says.

    Raises:
        ProfileError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    if labels not in (None, 2, 3):
        raise ProfileError(f"`labels` must be 2 or 3, got {labels!r}")
    if source.endswith(".toml"):
        try:
            text = Path(source).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ProfileError(f"prompt {source}: cannot be read: {error}") from error
        prompt = _parse(text, source)
    else:
        name = _built_in(source, labels or 2)
        prompt = _parse((_folder() / f"{name}.toml").read_text(encoding="utf-8"), name)
    if labels not in (None, prompt.labels):
        raise ProfileError(f"prompt {source}: it offers {prompt.labels} labels, but `labels` is {labels}")
    return prompt


def prompt_names() -> list[str]:
    """The built-in prompts, sorted, e.g. `internal-2.v1`."""
    names = (item.name.removesuffix(".toml") for item in _folder().iterdir())
    return sorted(name for name in names if _FILE.fullmatch(name))


def _folder() -> Traversable:
    return files("fas.verify.prompts")


def _built_in(source: str, labels: int) -> str:
    found = {name: match for name in prompt_names() if (match := _FILE.fullmatch(name))}
    if source in found:
        return source
    own = {name: int(match["version"]) for name, match in found.items() if match["name"] == f"{source}-{labels}"}
    if not own:
        raise ProfileError(
            f"no prompt named {source!r}; built in: {', '.join(found)}. Or give the path of a .toml file."
        )
    return max(own, key=own.__getitem__)


def _parse(text: str, name: str) -> VerifierPrompt:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProfileError(f"prompt {name}: not valid TOML: {error}") from error
    for key, value in raw.items():
        if key not in _FIELDS:
            raise ProfileError(f"prompt {name}: unknown field {key!r}; allowed: {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[key]) or isinstance(value, bool):
            raise ProfileError(f"prompt {name}: field {key!r} must be of type {_FIELDS[key].__name__}, got {value!r}")
    missing = [key for key in ("version", "labels", "user") if key not in raw]
    if missing:
        raise ProfileError(f"prompt {name}: field {missing[0]!r} is missing")
    if raw["labels"] not in (2, 3):
        raise ProfileError(f"prompt {name}: field 'labels' must be 2 or 3, got {raw['labels']!r}")
    if "{claim}" not in raw["user"]:
        raise ProfileError(
            f"prompt {name}: field 'user' has no {{claim}}, so that the model would not see what to judge"
        )
    digest = hashlib.sha256(f"{raw.get('system', '')}\0{raw['user']}".encode()).hexdigest()[:8]
    return VerifierPrompt(name, raw["version"], raw["labels"], raw.get("system"), raw["user"], digest)

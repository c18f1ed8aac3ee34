"""Prompts as files: what a verifier says to a language model, versioned and pinned by a hash.

A prompt is a TOML file:

    version = 1         # raised whenever a word changes
    labels = 2          # 2: True or False (not supported); 3: True, False (contradicted) or Unclear
    system = "..."      # may be missing
    user = "..."

`{claim}`, `{passages}`, `{context}` and `{question}` stand for what is judged. A paragraph of the
user message with a placeholder that has no value (no question is known, the claim has no longer
form) is left out. Other braces are plain text.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from fas.llm.messages import Message

PLACEHOLDERS = ("claim", "passages", "context", "question")
_PLACEHOLDER = re.compile("{(" + "|".join(PLACEHOLDERS) + ")}")
_FIELDS = {"version": int, "labels": int, "system": str, "user": str}


@dataclass(frozen=True, slots=True)
class VerifierPrompt:
    """A prompt, read from its file.

    Attributes:
        name: Name of the built-in prompt, or the file's stem.
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
        """What pins the words, e.g. `internal-2@1.5f0c2a9b`."""
        return f"{_plain(self.name)}@{self.version}.{self.digest}"

    @property
    def asks_for(self) -> frozenset[str]:
        """The placeholders that occur in the user message."""
        return frozenset(_PLACEHOLDER.findall(self.user))

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
        source: `internal`, `provided`, `retrieved` or `dnd`, or a path.
        labels: Verdicts a built-in prompt is to offer (2 by default); must be those of a file, if given.

    Raises:
        ValueError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    if labels not in (None, 2, 3):
        raise ValueError(f"`labels` must be 2 or 3, got {labels!r}")
    if source.endswith(".toml"):
        path = Path(source)
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"{path}: the prompt cannot be read: {error}") from error
        prompt = _parse(text, str(path), path.stem)
        if labels is not None and labels != prompt.labels:
            raise ValueError(f"{path}: the prompt offers {prompt.labels} labels, but `labels` is {labels}")
        return prompt
    name = f"{source}-{labels or 2}"
    if name not in prompt_names():
        raise ValueError(
            f"no prompt {source!r}; built in: {', '.join(prompt_names())}. Or give the path of a .toml file."
        )
    return _parse((files("fas.verify.prompts") / f"{name}.toml").read_text(encoding="utf-8"), name, name)


def prompt_names() -> list[str]:
    """Names of the built-in prompts with their number of labels, sorted."""
    found = (item.name for item in files("fas.verify.prompts").iterdir())
    return sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml"))


def _parse(text: str, origin: str, name: str) -> VerifierPrompt:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{origin}: not valid TOML: {error}") from error
    for key, value in raw.items():
        if key not in _FIELDS:
            raise ValueError(f"{origin}: unknown field {key!r}; allowed: {', '.join(_FIELDS)}")
        if not isinstance(value, _FIELDS[key]) or isinstance(value, bool):
            raise ValueError(f"{origin}: field {key!r} must be of type {_FIELDS[key].__name__}, got {value!r}")
    missing = [key for key in ("version", "labels", "user") if key not in raw]
    if missing:
        raise ValueError(f"{origin}: field {missing[0]!r} is missing")
    if raw["labels"] not in (2, 3):
        raise ValueError(f"{origin}: field 'labels' must be 2 or 3, got {raw['labels']!r}")
    if "{claim}" not in raw["user"]:
        raise ValueError(f"{origin}: field 'user' has no {{claim}}, so that the model would not see what to judge")
    digest = hashlib.sha256(f"{raw.get('system', '')}\0{raw['user']}".encode()).hexdigest()[:8]
    return VerifierPrompt(name, raw["version"], raw["labels"], raw.get("system"), raw["user"], digest)


def _plain(text: str) -> str:
    return re.sub(r"[|:,\[\]\s@]", "_", text)

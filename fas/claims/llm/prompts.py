"""Prompt files (`fas.llm.prompt_files`) of decomposers: instructions, examples and the request.

A file is TOML:

    name = "medscore"      # of the method it is for
    version = 1            # a whole number, raised with every change
    reply = "lines"        # the form of the reply, see `fas.claims.llm.replies`
    system = '''...'''     # {examples} is where the examples go, here or in the request
    retrieve = 6           # show only so many examples, those nearest to the sentence (BM25), the nearest last
    base = "medscore.v1"   # take what the file itself does not say from that prompt,
    keep = [1, 2]          # and of its examples these, counted from 1
    user = '''...'''       # the request, with {context}, {sentence}, ... in it

    [[examples]]           # any number
    context = "..."        # a value for each of the request's placeholders
    sentence = "..."
    reply = "..."          # what the model should answer

Placeholders are words in single braces; other braces (JSON) are left as they are. A paragraph of the request with
{question} is left out for an answer that comes without one. Without examples, {examples} is left out of the
instructions together with the paragraph that announces it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fas.core.checks import is_whole
from fas.core.errors import ProfileError
from fas.llm.messages import Message
from fas.llm.prompt_files import FIELDS, digest_of, read_prompt
from fas.llm.prompt_files import prompt_names as names_in

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_PACKAGE = "fas.claims.prompts"
_FIELDS = {
    **FIELDS,
    "name": str,
    "description": str,
    "reply": str,
    "examples": list,
    "retrieve": int,
    "base": str,
    "keep": list,
}
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class DecomposerPrompt:
    """A prompt as its file has it.

    Attributes:
        name: The method it is for.
        version: Raised with every change of a built-in prompt.
        reply: The form of the reply.
        system: Instructions with the examples in place; may be empty. With `retrieve` they stand there all, and each
            request shows some of them.
        user: The request, with placeholders.
        digest: First eight hexadecimal digits of the SHA-256 of both messages, examples included.
        examples: The values and the reply of each example.
        retrieve: How many of them a request shows, those nearest to its sentence; 0 for all.
        template: The instructions with the place of the examples open, where some are retrieved.
    """

    name: str
    version: int
    reply: str
    system: str
    user: str
    digest: str
    examples: tuple[Mapping[str, str], ...] = ()
    retrieve: int = 0
    template: str = ""

    @property
    def signature(self) -> str:
        """Version and hash, e.g. `1-abcdef12`; both hold which examples there are and how many are shown."""
        return f"{self.version}-{self.digest}"

    def messages(self, values: Mapping[str, str]) -> tuple[Message, ...]:
        """The conversation that asks for *values*; a value may hold braces, they are not read again."""
        asked = self.user
        shown = self.examples if not self.retrieve else self.nearest(_find_asked(values))
        filled = _show(_drop_examples(self.user), shown)
        if not values.get("question", "-").strip():
            asked = "\n\n".join(part for part in re.split(r"\n\s*\n", asked) if "{question}" not in part)
        request = Message("user", _fill(asked, {**values, "examples": filled}))
        system = self.template.replace("{examples}", filled) if self.retrieve else self.system
        return (Message("system", system), request) if system else (request,)

    def nearest(self, sentence: str) -> list[Mapping[str, str]]:
        """The examples that are shown for *sentence*: by BM25 over their own sentences, the nearest last.

        Equal ones keep the order of the file.
        """
        from fas.text.bm25 import BM25

        ranker = BM25([_find_asked(example) for example in self.examples], analyse=_split_words)
        return [self.examples[i] for i in reversed(ranker.ranking(sentence)[: self.retrieve])]


def load_prompt(source: str, *, reply: str, allowed: frozenset[str], required: frozenset[str]) -> DecomposerPrompt:
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
    origin, raw = _read(source)
    user, system = raw.get("user", "").strip(), raw.get("system", "").strip()
    if not user:
        raise ProfileError(f"prompt {origin}: field 'user' is missing; it is the request, with {_list_names(required)}")
    form = raw.get("reply", reply)
    if form != reply:
        raise ProfileError(f"prompt {origin}: field 'reply' must be {reply!r} for this method, got {form!r}")
    request = _drop_examples(user)
    _check_placeholders(request, origin, allowed, required)
    examples = _read_examples(raw.get("examples", []), origin, request)
    shown = _show(request, examples)
    retrieve, template = raw.get("retrieve", 0), system
    if retrieve and (not 0 < retrieve <= len(examples) or not {"sentence", "window"} & set(_PLACEHOLDER.findall(user))):
        raise ProfileError(
            f"prompt {origin}: field 'retrieve' must be from 1 to the number of examples ({len(examples)}), of a "
            f"request that says {{sentence}} or {{window}}, got {retrieve}"
        )
    if "{examples}" in system and not examples:
        parts = re.split(r"\n\s*\n", system)
        place = next(i for i, part in enumerate(parts) if "{examples}" in part)
        system = "\n\n".join(parts[: max(0, place - 1)] + parts[place + 1 :])
    elif "{examples}" in system:
        system = system.replace("{examples}", shown)
    elif examples and "{examples}" not in user:
        raise ProfileError(
            f"prompt {origin}: there are examples, but neither field 'system' nor field 'user' says {{examples}}"
        )
    name = raw.get("name", "").strip() or Path(origin).stem
    digest = digest_of(f"{system}\n{retrieve}" if retrieve else system, user.replace("{examples}", shown))
    return DecomposerPrompt(
        name, raw.get("version", 1), form, system, user, digest, examples, retrieve, template if retrieve else ""
    )


def prompt_names() -> list[str]:
    """The built-in prompts with their versions, sorted, e.g. `medscore.v1`."""
    return names_in(_PACKAGE)


def _read(source: str) -> tuple[str, dict[str, Any]]:
    """The prompt's name and fields, those of its base among them."""
    origin, raw = read_prompt(source, package=_PACKAGE, fields=_FIELDS, needed=())
    base = raw.pop("base", None)
    if base is None:
        if "keep" in raw:
            raise ProfileError(
                f"prompt {origin}: field 'keep' chooses among the examples of field 'base', which is missing"
            )
        return origin, raw
    _, given = read_prompt(base, package=_PACKAGE, fields=_FIELDS, needed=())
    if "base" in given:
        raise ProfileError(f"prompt {origin}: the base {base!r} has a base itself")
    given = {**given, **raw}
    if (keep := given.pop("keep", None)) is not None:
        own = given.get("examples", [])
        if not all(is_whole(n) and 1 <= n <= len(own) for n in keep):
            raise ProfileError(f"prompt {origin}: field 'keep' must hold numbers from 1 to {len(own)}, got {keep!r}")
        given["examples"] = [own[n - 1] for n in keep]
    return origin, given


def _check_placeholders(user: str, origin: str, allowed: frozenset[str], required: frozenset[str]) -> None:
    used = set(_PLACEHOLDER.findall(user))
    if used - allowed:
        found = sorted(used - allowed)[0]
        raise ProfileError(f"prompt {origin}: field 'user' says {{{found}}}; allowed: {_list_names(allowed)}")
    if required - used:
        raise ProfileError(f"prompt {origin}: field 'user' does not say {_list_names(required - used)}")


def _read_examples(raw: list[Any], origin: str, user: str) -> tuple[dict[str, str], ...]:
    needed = {*_PLACEHOLDER.findall(user), "reply"}
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


def _drop_examples(user: str) -> str:
    """The request without the place of the examples, as each example shows it."""
    return "\n\n".join(part for part in re.split(r"\n\s*\n", user) if "{examples}" not in part)


def _show(user: str, examples: Sequence[Mapping[str, str]]) -> str:
    return "\n\n".join(f"{_fill(user, example)}\n{example['reply']}" for example in examples)


def _find_asked(values: Mapping[str, str]) -> str:
    """What a request asks about: the sentence, or the window with it."""
    return values.get("sentence") or values.get("window") or ""


def _split_words(text: str) -> list[str]:
    return _WORDS.findall(text.lower())


def _fill(template: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match.group(1), match.group()), template)


def _list_names(placeholders: frozenset[str] | set[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(placeholders))

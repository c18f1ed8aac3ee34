"""What a verifier says to a language model: prompt files (`fas.llm.prompt_files`) that offer two or three labels.

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

from dataclasses import dataclass

from fas.core.errors import ProfileError
from fas.llm.prompt_files import FIELDS, PromptFile, digest_of, read_prompt
from fas.llm.prompt_files import prompt_names as names_in

PLACEHOLDERS = ("claim", "passages", "context", "question")
_PACKAGE = "fas.verify.prompts"


@dataclass(frozen=True, slots=True)
class VerifierPrompt(PromptFile):
    """A prompt, read from its file, that offers 2 or 3 verdicts."""

    labels: int = 2

    @property
    def instructions(self) -> str:
        """The words of both messages that are the same for every claim."""
        return "\n\n".join(part for part in (self.system, self.pattern.sub(" … ", self.user)) if part)


def load_prompt(source: str, *, labels: int | None = None) -> VerifierPrompt:
    """The built-in prompt called *source*, or the one in the file *source* (its name ends in `.toml`).

    `internal`, `provided`, `retrieved` or `dnd` is the newest version, `internal-2.v1` that one; *labels* are 2 by
    default, or what the file says.

    Raises:
        ProfileError: There is no such prompt, or the file cannot be used; the message says where and why.
    """
    if labels not in (None, 2, 3):
        raise ProfileError(f"`labels` must be 2 or 3, got {labels!r}")
    with_labels = f"{source}-{labels or 2}"
    built_in = any(name.startswith(f"{with_labels}.v") for name in prompt_names())
    name, raw = read_prompt(
        with_labels if built_in else source,
        package=_PACKAGE,
        fields={**FIELDS, "labels": int},
        needed=("version", "labels", "user"),
    )
    if raw["labels"] not in (2, 3):
        raise ProfileError(f"prompt {name}: field 'labels' must be 2 or 3, got {raw['labels']!r}")
    if "{claim}" not in raw["user"]:
        raise ProfileError(
            f"prompt {name}: field 'user' has no {{claim}}, so that the model would not see what to judge"
        )
    if labels not in (None, raw["labels"]):
        raise ProfileError(f"prompt {source}: it offers {raw['labels']} labels, but `labels` is {labels}")
    system, user = raw.get("system"), raw["user"]
    digest = digest_of(system or "", user)
    return VerifierPrompt(name, raw["version"], system, user, PLACEHOLDERS, digest, labels=raw["labels"])


def prompt_names() -> list[str]:
    """The built-in prompts, sorted, e.g. `internal-2.v1`."""
    return names_in(_PACKAGE)

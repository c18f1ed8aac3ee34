"""Language models: one client for any OpenAI-compatible endpoint, and local models.

    model = chat_model("gpt-4o-mini", requests_per_minute=500, max_cost=5.0)
    replies = model.complete([Prompt((Message("user", "Is aspirin an NSAID? Answer in JSON."),))])
    parse_reply(replies[0]).value
    model.usage().cost

Replies are kept on disk the moment they arrive, so that nothing is paid for twice. Keys are read
from the environment (`OPENAI_API_KEY`) and appear in no key, message or log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fas.llm.budget import Budget
from fas.llm.messages import ChatModel, Message, Prompt, Reply
from fas.llm.parsing import ParsedVerdict, parse_json, parse_reply

if TYPE_CHECKING:
    from fas.llm.dryrun import DryRun
    from fas.llm.local import LocalModel
    from fas.llm.models import run_defaults, total_usage
    from fas.llm.remote import RemoteModel
    from fas.llm.usage_tracker import Usage

__all__ = [
    "Budget",
    "ChatModel",
    "DryRun",
    "LocalModel",
    "Message",
    "ParsedVerdict",
    "Prompt",
    "RemoteModel",
    "Reply",
    "Usage",
    "chat_model",
    "parse_json",
    "parse_reply",
    "run_defaults",
    "total_usage",
]
_LATER = {
    "DryRun": "fas.llm.dryrun",
    "LocalModel": "fas.llm.local",
    "RemoteModel": "fas.llm.remote",
    "Usage": "fas.llm.usage_tracker",
    "run_defaults": "fas.llm.models",
    "total_usage": "fas.llm.models",
}


def chat_model(name: str, **options: Any) -> ChatModel:
    """The model called *name*; identical arguments give the same object.

    `openai:MODEL` or a bare MODEL is at an OpenAI-compatible endpoint (the option `base_url`, else `OPENAI_BASE_URL`,
    else OpenAI's own); `transformers:FOLDER_OR_NAME` is a local model. *options* are those of `RemoteModel` and
    `LocalModel`; and `dry_run`, a `DryRun` that records what would be asked.

    Raises:
        ValueError: An option is unknown or has an impossible value, or the name is empty.
        LookupError: There is no such local model, or the package `openai` is not installed.
        InputError: A table of prices cannot be used.
    """
    from fas.llm.models import get_model

    return get_model(name, options)


def __getattr__(name: str) -> Any:
    # The rest waits until it is used, so that importing the types costs nothing.
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

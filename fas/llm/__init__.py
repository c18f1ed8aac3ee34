"""Language models: one client for any OpenAI-compatible endpoint, and local models."""

from __future__ import annotations

from typing import Any

from fas.llm.messages import ChatModel, Message, Prompt, Reply

__all__ = ["ChatModel", "Message", "Prompt", "Reply", "chat_model"]


def chat_model(name: str, **options: Any) -> ChatModel:
    """The model called *name*; identical arguments give the same object.

    Args:
        name: `openai:MODEL` or a bare MODEL for an OpenAI-compatible endpoint (the option `base_url`,
            else `OPENAI_BASE_URL`, else OpenAI's own); `transformers:FOLDER_OR_NAME` for a local model.
        options: Settings of the back end.

    Raises:
        ValueError: An option is unknown or has an impossible value, or the name is empty.
    """
    from fas.llm.models import shared_model

    return shared_model(name, options)

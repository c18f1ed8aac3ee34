"""The features that a server supports, found out by one request and remembered."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any, Literal

from fas.llm.faults import FaultError
from fas.llm.logprobs import TOP
from fas.llm.messages import Prompt
from fas.llm.schema import format_schema, is_strict
from fas.llm.shapes import Answered

Structured = Literal["auto", "json_schema", "json_object", "off"]

Send = Callable[[Prompt, Mapping[str, Any]], Answered]


class Features:
    """The features of one model at one endpoint; shared by threads.

    A reply's schema is first asked for as `json_schema`; a server that refuses that is asked for
    `json_object`, and then for plain text, which must be parsed tolerantly. What worked is
    remembered for each schema, since servers that know schemas still refuse some. Only a
    refusal followed by success without the field counts: a busy server teaches nothing.
    """

    def __init__(self) -> None:
        self.structured: dict[str, str] = {}
        self.token_field = "max_tokens"
        self.stream_usage = True
        self.seed = True
        self.top_logprobs = list(TOP)
        self._locks: dict[str, threading.Lock] = {}

    def ask(self, prompt: Prompt, send: Send, *, wanted: Structured, stream: bool) -> Answered:
        """The reply to *prompt*, with the best form of request that the server understands, or a FaultError."""
        if prompt.schema is None or wanted != "auto":
            return self._ask(prompt, send, "off" if prompt.schema is None else wanted, stream=stream)
        schema = format_schema(prompt.schema)
        if schema not in self.structured:
            # One request finds out; the others wait for what it learns.
            with self._locks.setdefault(schema, threading.Lock()):
                if schema not in self.structured:
                    return self._retry_with_fewer(prompt, send, schema, stream=stream)
        return self._ask(prompt, send, self.structured[schema], stream=stream)

    def _retry_with_fewer(self, prompt: Prompt, send: Send, schema: str, *, stream: bool) -> Answered:
        forms = ["json_schema", *(["json_object"] if (prompt.schema or {}).get("type") == "object" else []), "off"]
        while True:
            try:
                answered = self._ask(prompt, send, forms[0], stream=stream)
            except FaultError as fault:
                if forms[0] == "off" or not _may_be_about_the_form(fault):
                    raise
                del forms[0]
            else:
                self.structured[schema] = forms[0]
                return answered

    def _ask(self, prompt: Prompt, send: Send, form: str, *, stream: bool) -> Answered:
        while True:
            field, usage, seeded = self.token_field, self.stream_usage, self.seed and prompt.sample is not None
            settings: dict[str, Any] = {field: prompt.max_tokens, "temperature": prompt.temperature}
            top = self.top_logprobs[0] if prompt.choices and self.top_logprobs else None
            if top is not None:
                settings |= {"logprobs": True, "top_logprobs": top}
            if seeded:
                settings["seed"] = prompt.sample
            if stream and usage:
                settings["stream_options"] = {"include_usage": True}
            if form == "json_object":
                settings["response_format"] = {"type": "json_object"}
            elif form == "json_schema":
                schema = json.loads(format_schema(prompt.schema))
                described = {"name": "reply", "schema": schema, "strict": is_strict(schema)}
                settings["response_format"] = {"type": "json_schema", "json_schema": described}
            try:
                return send(prompt, settings)
            except FaultError as fault:
                if fault.kind != "refused":
                    raise
                # Another request may have learnt it meanwhile.
                if "max_completion_tokens" in str(fault) and field == "max_tokens":
                    self.token_field = "max_completion_tokens"
                elif "stream_options" in str(fault) and stream and usage:
                    self.stream_usage = False
                elif top is not None and "logprob" in str(fault):
                    self.top_logprobs = [n for n in self.top_logprobs if n < top]
                elif seeded and re.search(r"\bseed\b", str(fault)):
                    self.seed = False
                else:
                    raise


def _may_be_about_the_form(fault: FaultError) -> bool:
    if fault.own or fault.filtered:
        return False
    if fault.kind == "refused":
        return True
    # Some servers fail instead of refusing.
    words = ("response_format", "json_schema", "grammar", "not implemented")
    return (fault.status or 0) >= 500 and any(word in str(fault).lower() for word in words)

"""The description of the service: OpenAPI, and a small page."""

from __future__ import annotations

from html import escape
from typing import Any

from fas._version import __version__

_STRINGS = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_PASSAGE = {
    "oneOf": [
        {"type": "string"},
        {
            "type": "object",
            "required": ["text"],
            "properties": {
                "text": {"type": "string"},
                "id": {"type": "string"},
                "title": {"type": "string"},
                "year": {"type": "integer"},
            },
        },
    ]
}
_ANSWER = {
    "type": "object",
    "required": ["prediction"],
    "properties": {
        "id": {"type": "string"},
        "question": {"type": "string"},
        "prediction": {"type": "string"},
        "references": _STRINGS,
        "passages": {"type": "array", "items": _PASSAGE},
        "claims": {"type": "array", "items": {"type": "string"}},
    },
}
_SEVERAL = {
    "type": "object",
    "required": ["answers"],
    "properties": {"answers": {"type": "array", "items": _ANSWER}, "stream": {"type": "boolean"}},
}
_CLAIM = {
    "type": "object",
    "required": ["claim", "passages"],
    "properties": {
        "claim": {"type": "string"},
        "passages": {"type": "array", "items": _PASSAGE},
        "question": {"type": "string"},
    },
}
_REFUSALS = {
    "401": "a bearer token is needed",
    "413": "the body or the number of answers is too large",
    "422": "the body cannot be used; `error.message` says why",
    "429": "too many answers are waiting; try again",
    "503": "not ready, shutting down, timed out, or no evidence available",
}


def _post(summary: str, body: dict[str, Any]) -> dict[str, Any]:
    responses = {"200": {"description": "done"}, **{code: {"description": text} for code, text in _REFUSALS.items()}}
    return {
        "post": {
            "summary": summary,
            "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
            "responses": responses,
        }
    }


def _get(summary: str) -> dict[str, Any]:
    return {"get": {"summary": summary, "responses": {"200": {"description": "done"}}}}


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {
        "title": "fas",
        "version": __version__,
        "description": "How much of a medical answer is backed by evidence.",
    },
    "paths": {
        "/v1/score": _post(
            "Score one answer, or several; streams a line each with `stream`", {"oneOf": [_ANSWER, _SEVERAL]}
        ),
        "/v1/verify": _post("One claim against passages", _CLAIM),
        "/v1/safety": _post("Safety flags of one answer, or several", {"oneOf": [_ANSWER, _SEVERAL]}),
        "/healthz": _get("Whether the models are loaded and work proceeds"),
        "/metrics": _get("Counts and times, for Prometheus"),
    },
}

ROUTES = tuple(f"{method.upper()} {path}" for path, methods in DOCUMENT["paths"].items() for method in methods)

_ROWS = "".join(
    f"<tr><td><code>{method.upper()} {escape(path)}</code></td><td>{escape(what['summary'])}</td></tr>"
    for path, methods in DOCUMENT["paths"].items()
    for method, what in methods.items()
)
PAGE = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>fas</title>"
    "<style>body{font:16px system-ui;margin:2rem;max-width:50rem}td{padding:.3rem 1rem .3rem 0}</style>"
    f"<h1>fas {escape(__version__)}</h1><p>A score is no medical advice.</p><table>{_ROWS}</table>"
    "<p>The whole description: <a href=/openapi.json>openapi.json</a></p></html>"
)

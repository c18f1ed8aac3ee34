"""Scores as tools for assistants, over the Model Context Protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from fas._version import __version__
from fas.core.answers.schema import to_answer
from fas.core.errors import FasError
from fas.core.guards.redaction import redact
from fas.core.records import Answer
from fas.integrations.service.workers import ServiceWorker

_NOTE = "Measures text against evidence; no medical advice, and a missing flag is no proof of safety."


def make_server(worker: ServiceWorker) -> MCPServer:
    """The server with the tools `score`, `verify` and `safety`, of what *worker* has loaded."""
    server: MCPServer = MCPServer("fas", version=__version__, instructions=_NOTE)

    def score(
        prediction: str,
        question: str | None = None,
        references: list[str] | None = None,
        passages: list[str] | None = None,
    ) -> dict[str, Any]:
        """How much of a medical answer is backed by evidence: each claim with its verdict, and what could hurt.

        Without passages, the evidence is what the server was started with.
        """
        given = {"question": question, "references": references, "passages": passages}
        return _call_tool(lambda: _score_row(worker, {"prediction": prediction, **given}))

    def verify(claim: str, passages: list[str], question: str | None = None) -> dict[str, Any]:
        """Whether passages support a claim, contradict it, or neither, with the probabilities of each passage."""
        row = {"prediction": claim, "claims": [claim], "passages": passages, "question": question}

        def verdict() -> dict[str, Any]:
            record = _score_row(worker, row)
            _check(record)
            return {**record["claims"][0], "signature": record["signature"]}

        return _call_tool(verdict)

    def safety(prediction: str, question: str | None = None) -> dict[str, Any]:
        """What in an answer could hurt a patient: missing or high doses, contraindicated drugs and their relatives."""

        def flags() -> dict[str, Any]:
            (record,) = worker.safety([_answer({"prediction": prediction, "question": question})])
            _check(record)
            return {"flags": record["flags"]}

        return _call_tool(flags)

    for tool in (score, verify, safety):
        server.add_tool(tool)
    return server


def _answer(row: Mapping[str, Any]) -> Answer:
    return to_answer({name: value for name, value in row.items() if value is not None}, line=1, where="the answer")


def _score_row(worker: ServiceWorker, row: Mapping[str, Any]) -> dict[str, Any]:
    (record,), signature = worker.score([_answer(row)])
    return {**record, "signature": signature}


def _check(record: Mapping[str, Any]) -> None:
    if record.get("error") is not None:
        raise ValueError(record["error"]["message"])


def _call_tool(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """What *work* gives, in JSON's own types; the assistant is told the reason of an error of ours, and no other."""
    try:
        plain: dict[str, Any] = json.loads(json.dumps(work()))
    except (FasError, ValueError, LookupError) as error:
        raise ToolError(redact(str(error))) from error
    return plain

"""Scores as tools for assistants, over the Model Context Protocol."""

from __future__ import annotations

import json
from typing import Any

from mcp.server.mcpserver import MCPServer

from fas._version import __version__
from fas.profile import Profile
from fas.records import Answer
from fas.records.as_json import flag_dict
from fas.runs.scorer import Scorer
from fas.safety.checker import SafetyChecker

_NOTE = "Measures text against evidence; no medical advice, and a missing flag is no proof of safety."


def make_server(profile: Profile, *, offline: bool = False) -> MCPServer:
    """The server with the tools `score`, `verify` and `safety`, of one loaded scorer.

    Args:
        profile: The settings of every score.
        offline: Refuse evidence that needs the network.
    """
    scorer = Scorer(profile, offline=offline)
    checker = SafetyChecker()
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
        row = {"prediction": prediction, **{name: value for name, value in given.items() if value is not None}}
        report = scorer.score([row])
        record = report.answers[0].as_dict(scorer.profile.k)
        return _plain({**record, "signature": str(report.signature)})

    def verify(claim: str, passages: list[str], question: str | None = None) -> dict[str, Any]:
        """Whether passages support a claim, contradict it, or neither, with the probabilities of each passage."""
        row: dict[str, Any] = {"prediction": claim, "claims": [claim], "passages": passages}
        report = scorer.score([row if question is None else {**row, "question": question}])
        record = report.answers[0].as_dict(scorer.profile.k)
        if record["error"] is not None:
            raise ValueError(record["error"]["message"])
        return _plain({**record["claims"][0], "signature": str(report.signature)})

    def safety(prediction: str, question: str | None = None) -> dict[str, Any]:
        """What in an answer could hurt a patient: missing or high doses, contraindicated drugs and their relatives."""
        flags = checker.check([Answer("1", prediction, question=question)])[0]
        return {"flags": [_plain(flag_dict(flag)) for flag in flags]}

    for tool in (score, verify, safety):
        server.add_tool(tool)
    return server


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    """*record* in JSON's own types."""
    plain: dict[str, Any] = json.loads(json.dumps(record))
    return plain

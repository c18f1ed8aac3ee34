"""`fas serve`: scores over HTTP, or as tools of an assistant."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

from fas.cli import options as shared
from fas.cli.base import collect, command, option, section

TOKEN = "FAS_SERVE_TOKEN"


def _limits(**given: Any) -> dict[str, Any]:
    for name, value in given.items():
        if value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be above 0")
    short = {"max_text_seconds": "text", "max_processor_seconds": "processor", "max_header_seconds": "header"}
    return {short.get(name, name.split("_")[1]): value for name, value in given.items()}


@command(
    "fas serve --port 8800\nfas serve --mcp --evidence index:notes",
    option("--mcp", "offer the tools score, verify and safety to an assistant (Model Context Protocol)"),
    option("--host HOST", "address to listen on", "127.0.0.1"),
    option("--port N", "port; 0 for any free one", 8800),
    shared.offline,
    collect(
        "limits",
        _limits,
        section(
            "limits",
            option("--max-body BYTES", "largest request", 8 << 20),
            option("--max-answers N", "answers of a request", 256),
            option("--max-waiting N", "answers waiting to be scored", 512),
            option("--max-seconds SECONDS", "time of a request", 120.0),
            option("--max-text-seconds SECONDS", "time limit of each stage for one answer", 10.0),
            option("--max-processor-seconds SECONDS", "processor time of a batch; then the worker is replaced", 60.0),
            option("--max-header-seconds SECONDS", "time to receive the header of a request", 10.0),
            option("--max-shutdown-seconds SECONDS", "time to finish work after Ctrl-C or SIGTERM", 25.0),
        ),
    ),
    shared.profile,
)
def serve(o: SimpleNamespace) -> int:
    """Score over HTTP, or as tools of an assistant.

    The service has POST /v1/score, /v1/verify and /v1/safety, GET /healthz, /metrics and /docs. Answers of several
    clients are scored together. With FAS_SERVE_TOKEN in the environment, clients must send it as a bearer token.

    With --mcp the tools score, verify and safety are offered on standard input and output.
    """
    try:
        return _serve_assistant(o) if o.mcp else _serve(o)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"fas serve{' --mcp' * o.mcp} needs {error.name}, which is not installed: "
            f"pip install 'fact-aligned-score[{'mcp' if o.mcp else 'serve'}]'"
        ) from error


def _serve_assistant(o: SimpleNamespace) -> int:
    from fas.integrations.service.tools import make_server
    from fas.integrations.service.workers import ServiceWorker, WorkLimits

    with ServiceWorker(o.profile, WorkLimits(o.limits["text"], o.limits["processor"]), offline=o.offline) as worker:
        make_server(worker).run()
    return 0


def _serve(o: SimpleNamespace) -> int:
    from fas.integrations.service.app import Service
    from fas.integrations.service.limits import Limits
    from fas.integrations.service.server import run_service

    token = os.environ.get(TOKEN) or None
    if o.host not in ("127.0.0.1", "::1", "localhost") and token is None:
        shared.print_note(f"{o.host} can be reached by others, and no token is set ({TOKEN})")
    service = Service(o.profile, Limits(**o.limits, token=token), offline=o.offline)
    served = run_service(
        service, host=o.host, port=o.port, started=lambda address: shared.print_note(f"serving on {address}")
    )
    return 0 if served else 1

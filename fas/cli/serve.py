"""`fas serve`: scores over HTTP."""

from __future__ import annotations

import argparse
import os
import sys

from fas.cli.common import add_part_options, add_profile_options, go_offline, profile_from

TOKEN = "FAS_SERVE_TOKEN"


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="score over HTTP",
        description="A service with POST /v1/score, /v1/verify and /v1/safety, GET /healthz, /metrics and /docs. "
        f"Answers of several clients are scored together. With {TOKEN} in the environment, clients must send it as a "
        "bearer token.",
        epilog="example: fas serve --port 8800",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, default=8800, help="port (8800; 0 for any free one)")
    parser.add_argument("--max-body", type=int, default=8 << 20, metavar="BYTES", help="largest request (8 MiB)")
    parser.add_argument("--max-answers", type=int, default=256, metavar="N", help="answers of a request (256)")
    parser.add_argument("--max-waiting", type=int, default=512, metavar="N", help="answers waiting to be scored (512)")
    parser.add_argument("--max-seconds", type=float, default=120.0, metavar="S", help="time of a request (120)")
    parser.add_argument(
        "--max-text-seconds",
        type=float,
        default=10.0,
        metavar="S",
        help="time of each stage on the text of one answer; then the answer is an error (10)",
    )
    parser.add_argument(
        "--max-processor-seconds",
        type=float,
        default=60.0,
        metavar="S",
        help="processor time of the answers scored together; then the process is replaced, and each tried alone (60)",
    )
    parser.add_argument(
        "--max-header-seconds",
        type=float,
        default=10.0,
        metavar="S",
        help="until the header of a request is in (10)",
    )
    parser.add_argument(
        "--max-shutdown-seconds",
        type=float,
        default=25.0,
        metavar="S",
        help="to finish what was begun after Ctrl-C or SIGTERM (25)",
    )
    parser.add_argument("--offline", action="store_true", help="refuse evidence that needs the network")
    add_profile_options(parser)
    add_part_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Serve until stopped; returns the exit code."""
    if options.offline:
        go_offline()
    profile = profile_from(options)
    for name in (name for name in vars(options) if name.startswith("max_")):
        if getattr(options, name) <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be above 0")
    import asyncio

    try:
        from fas.service.app import Service
        from fas.service.limits import Limits
        from fas.service.server import Server, addresses
    except ModuleNotFoundError as error:
        raise ValueError(
            f"fas serve needs {error.name}, which is not installed: pip install 'fact-aligned-score[serve]'"
        ) from error

    token = os.environ.get(TOKEN) or None
    limits = Limits(
        body=options.max_body,
        answers=options.max_answers,
        waiting=options.max_waiting,
        seconds=options.max_seconds,
        text=options.max_text_seconds,
        processor=options.max_processor_seconds,
        header=options.max_header_seconds,
        shutdown=options.max_shutdown_seconds,
        token=token,
    )
    if options.host not in ("127.0.0.1", "::1", "localhost") and token is None:
        print(f"fas: {options.host} can be reached by others, and no token is set ({TOKEN})", file=sys.stderr)
    server = Server(Service(profile, limits, offline=options.offline), host=options.host, port=options.port)

    async def serve() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.05)
        if server.started:
            for address in addresses(server):
                print(f"fas: serving on {address}", file=sys.stderr, flush=True)
        await serving

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:  # uvicorn gives the signal on once it has finished
        return 0
    return 0 if server.started else 1

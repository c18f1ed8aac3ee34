"""`fas serve`: scores over HTTP, or as tools of an assistant."""

from __future__ import annotations

import os

from fas.cli.options import Options, build_profile, print_note

TOKEN = "FAS_SERVE_TOKEN"
_LIMITS = {  # option: what `fas.integrations.service.limits.Limits` calls it
    **{f"max_{name}": name for name in ("body", "answers", "waiting", "seconds")},
    **{f"max_{name}_seconds": name for name in ("text", "processor", "header", "shutdown")},
}


def serve(o: Options) -> int:
    for name, value in o.pick(*_LIMITS).items():
        if value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} must be above 0")
    try:
        return _serve_assistant(o) if o.mcp else _serve(o)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"fas serve{' --mcp' * o.mcp} needs {error.name}, which is not installed: "
            f"pip install 'fact-aligned-score[{'mcp' if o.mcp else 'serve'}]'"
        ) from error


def _serve_assistant(o: Options) -> int:
    from fas.integrations.service.tools import make_server
    from fas.integrations.service.workers import ServiceWorker, WorkLimits

    limits = WorkLimits(o.max_text_seconds, o.max_processor_seconds)
    with ServiceWorker(build_profile(o), limits, offline=o.offline) as worker:
        make_server(worker).run()
    return 0


def _serve(o: Options) -> int:
    from fas.integrations.service.app import Service
    from fas.integrations.service.limits import Limits
    from fas.integrations.service.server import run_service

    token = os.environ.get(TOKEN) or None
    if o.host not in ("127.0.0.1", "::1", "localhost") and token is None:
        print_note(f"{o.host} can be reached by others, and no token is set ({TOKEN})")
    limits = Limits(**{name: getattr(o, option) for option, name in _LIMITS.items()}, token=token)
    service = Service(build_profile(o), limits, offline=o.offline)
    served = run_service(service, host=o.host, port=o.port, started=lambda address: print_note(f"serving on {address}"))
    return 0 if served else 1

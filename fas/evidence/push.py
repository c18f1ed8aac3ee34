"""Documents from files into an index of a search server."""

from __future__ import annotations

import base64
import json
import tempfile
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from fas.core.errors import InputError
from fas.evidence.client import RequestFailedError
from fas.evidence.opensearch import FIELDS
from fas.evidence.search_server import SearchServer
from fas.evidence.sources import OnError, spool

_MAPPING = {
    "mappings": {
        "properties": {
            "text": {"type": "text"},
            "title": {"type": "text"},
            "year": {"type": "integer"},
            "status": {"type": "keyword"},
        }
    }
}
_BATCH = 500


def push(
    place: str,
    files: Sequence[Path],
    *,
    on_error: OnError = "skip",
    progress: Callable[[int, Path], None] | None = None,
    **server_options: Any,
) -> int:
    """Put the documents of *files* into the index at *place* (`URL/INDEX`), made if it is not there; returns how many.

    Files are read as by `fas index build`, in the order given: a later record of an id takes the place of an earlier
    one, deletions delete, and retraction notices mark the articles they name, if those are there by then. The same
    command again writes the same documents over themselves. *progress* is called with the number of operations so far
    and the file; *server_options* are those of `SearchServer`.

    Raises:
        InputError: A file cannot be used, or the server refuses a document; what was written before stays.
        EvidenceUnavailable: The server cannot be reached, or does not let this user in.
    """
    server = SearchServer(place, **server_options)
    try:
        if server.request("GET", server.path, missing=None) is None:
            server.request("PUT", server.path, body=_MAPPING)
        done = documents = 0
        for path in files:
            with tempfile.TemporaryDirectory(prefix="fas-push-") as folder:
                target = Path(folder) / "spool"
                spool(path, target, on_error=on_error)
                with target.open(encoding="utf-8") as operations:
                    while batch := [line.rstrip("\n") for line in islice(operations, _BATCH)]:
                        documents += _write(server, batch, path)
                        done += len(batch)
                        if progress is not None:
                            progress(done, path)
        server.request("POST", f"{server.path}/_refresh")
    finally:
        server.close()
    return documents


def _write(server: SearchServer, batch: Sequence[str], path: Path) -> int:
    """Send one batch; returns how many documents it wrote."""
    lines: list[str] = []
    documents = 0
    for operation in batch:
        kind, identifier, *rest = operation.split("\t", 3)
        place = {"_index": server.name, "_id": identifier}
        if kind == "A":
            stored = json.loads(base64.b64decode(json.loads(rest[1])["passage"]))
            document = {name: stored[name] for name in FIELDS.values() if stored.get(name) is not None}
            lines += [json.dumps({"index": place}), json.dumps(document)]
            documents += 1
        elif kind == "D":
            lines.append(json.dumps({"delete": place}))
        elif kind == "M":
            lines += [json.dumps({"update": place}), json.dumps({"doc": {"status": rest[0]}})]
    if not lines:
        return 0
    try:
        reply = server.request("POST", "_bulk", lines="\n".join(lines) + "\n")
    except RequestFailedError as error:
        raise InputError(f"{path}: {server.shown} rejected the documents: {error}", kind="push") from error
    for item in reply.get("items", []):
        ((action, outcome),) = item.items()
        # A deletion or a mark of what is not there is as it should be.
        if outcome.get("status", 200) >= 300 and not (outcome["status"] == 404 and action in ("delete", "update")):
            reason = (outcome.get("error") or {}).get("reason", outcome["status"])
            raise InputError(f"{path}: document {outcome.get('_id')}: {server.shown} says: {reason}", kind="push")
    return documents

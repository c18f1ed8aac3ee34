"""What the tests' local servers share: a threaded HTTP server on 127.0.0.1, from `with` to the end of it."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class LocalServer:
    """Answers every GET, HEAD and POST with `answer`, each on a thread of its own; use as a context manager.

    Attributes:
        lock: Guards what requests share.
        closing: Set when the server goes down, so that an answer that keeps silent wakes up.
    """

    def __init__(self, *, port: int = 0) -> None:
        self.lock = threading.Lock()
        self.closing = threading.Event()
        self._port = port  # 0 for any free one

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """Reply to the request that *handler* holds."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                owner.answer(self)

            def do_GET(self) -> None:
                owner.answer(self)

            def do_HEAD(self) -> None:
                owner.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 256

            def handle_error(self, *args: object) -> None:
                pass  # clients that hang up are part of the tests

        self._server = Server(("127.0.0.1", self._port), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"


def send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: bytes,
    kind: str,
    headers: Iterable[tuple[str, str]] = (),
    *,
    only: int | None = None,
) -> None:
    """A reply with its length; of *body* only the first *only* bytes are sent, as when a connection breaks."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers:
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body[:only])


def reset(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without a reply, by RST."""
    # Closing with a zero linger time sends RST.
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    """Close the connection without a reply, in order."""
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True

"""The server under the service, with time limits for headers and for the shutdown."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from fas.integrations.service.app import Service

_MORE_SECONDS = 5
"""More seconds for connections than for the work, to send the last answers."""


class Server(uvicorn.Server):  # type: ignore[misc]  # uvicorn is not in every environment
    """Serves *service* until a signal; port 0 is any free one."""

    def __init__(self, service: Service, *, host: str, port: int) -> None:
        limits = service.limits
        self._service = service
        config = uvicorn.Config(
            service.app(),
            host=host,
            port=port,
            http=_protocol(limits.header),
            log_level="warning",
            timeout_graceful_shutdown=int(limits.shutdown) + _MORE_SECONDS,
        )
        super().__init__(config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let work in progress finish within the limit, then fail it."""
        asyncio.get_running_loop().call_later(self._service.limits.shutdown, self._service.stop)
        await super().shutdown(sockets)


def _protocol(seconds: float) -> type[H11Protocol]:
    """HTTP that closes a connection whose header is incomplete after *seconds*."""

    class Protocol(H11Protocol):  # type: ignore[misc]
        _header: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:
            super().connection_made(transport)
            self._expect_header()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._forget_header()
            elif data:
                self._expect_header()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget_header()
            super().connection_lost(exc)

        def _expect_header(self) -> None:
            if self._header is None:
                self._header = self.loop.call_later(seconds, self._close)

        def _forget_header(self) -> None:
            if self._header is not None:
                self._header.cancel()
                self._header = None

        def _close(self) -> None:
            self._header = None
            if not self.transport.is_closing():
                self.transport.close()

    return Protocol


def run_service(service: Service, *, host: str, port: int, started: Callable[[str], None]) -> bool:
    """Serve until a signal; whether it ever served. *started* receives each address."""
    server = Server(service, host=host, port=port)

    async def serve() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.05)
        bound = [sock for running in server.servers for sock in running.sockets] if server.started else ()
        for name, number, *_ in (sock.getsockname() for sock in bound):
            started(f"http://{name}:{number}")
        await serving

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:  # uvicorn gives the signal on once it has finished
        return True
    return bool(server.started)

"""The server under the service: it waits for no header and no shutdown without end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from fas.integrations.service.app import Service

_MORE_SECONDS = 5
"""What connections get beyond the time for the work: their last answers are still to be sent."""


class Server(uvicorn.Server):  # type: ignore[misc]  # uvicorn is not in every environment
    """Serves *service* until a signal comes.

    Args:
        service: What is served; its limits hold here, too.
        host: Address to listen on.
        port: Port; 0 for any free one.
    """

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
        """Let what was begun be finished as long as the limit allows, then fail it."""
        asyncio.get_running_loop().call_later(self._service.limits.shutdown, self._service.stop)
        await super().shutdown(sockets)


def _protocol(seconds: float) -> type[H11Protocol]:
    """HTTP over connections that are closed where the header of a request is not complete after *seconds*."""

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


def addresses(server: Any) -> list[str]:
    """Where *server* can be reached."""
    bound = [sock.getsockname()[:2] for running in server.servers for sock in running.sockets]
    return [f"http://{host}:{port}" for host, port in bound]


def run_service(service: Service, *, host: str, port: int, started: Callable[[str], None]) -> bool:
    """Serve until a signal comes; whether it ever served. *started* gets each address that it listens on."""
    server = Server(service, host=host, port=port)

    async def serve() -> None:
        serving = asyncio.create_task(server.serve())
        while not server.started and not serving.done():
            await asyncio.sleep(0.05)
        for address in addresses(server) if server.started else ():
            started(address)
        await serving

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:  # uvicorn gives the signal on once it has finished
        return True
    return bool(server.started)

"""An HTTP server with a limited number of connections, each with a deadline for its request.

A slow client occupies one connection and delays no other client. If all connections are in use, the
oldest one is closed in favour of the newest. Honest clients send their request at once, so they get
an answer however many slow clients there are.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import resource
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from socket import socket

MOST_CONNECTIONS = 256
"""The most connections at the same time; fewer if the process may open fewer files."""

DEADLINE_S = 5.0
"""The time from the connection to the end of the answer, in seconds."""

LONGEST_HEAD = 16 << 10
"""The largest request in bytes; browsers send less than half."""

Respond = Callable[[bytes], bytes]
"""A function that returns the whole answer to the head of a request, both as bytes."""

TOO_LONG = (
    f"HTTP/1.1 {HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.value} Too Large\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n"
).encode()


@contextmanager
def running(listener: socket, respond: Respond) -> Iterator[None]:
    """Answer requests in a thread until the block is left."""
    places = _Places(respond)
    run = partial(asyncio.run, places.answer(listener))
    thread = threading.Thread(target=run, daemon=True, name="airmile-http")
    thread.start()
    try:
        yield
    finally:
        places.close()
        thread.join()


class _Places:
    """The open connections; the oldest is first."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._open: dict[asyncio.StreamWriter, None] = {}
        self._most = most_connections()
        self._over: concurrent.futures.Future[None] = concurrent.futures.Future()

    async def answer(self, listener: socket) -> None:
        """Answer requests until `close`, which ends all connections."""
        # A client that closed its connection is no error that the user should see.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        server = await asyncio.start_server(
            self._serve, sock=listener, limit=LONGEST_HEAD, backlog=backlog()
        )
        try:
            await asyncio.wrap_future(self._over)
        finally:
            server.close()

    def close(self) -> None:
        """End the server, from another thread."""
        self._over.set_result(None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._make_room()
        self._open[writer] = None
        try:
            with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
                async with asyncio.timeout(DEADLINE_S):
                    writer.write(await self._answer(reader))
                    writer.close()
                    await writer.wait_closed()
        finally:
            writer.transport.abort()
            self._open.pop(writer, None)

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            return TOO_LONG
        return self._respond(head)

    def _make_room(self) -> None:
        while len(self._open) >= self._most:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()


def backlog() -> int:
    """Return the length of the system's queue of new connections: the number of connections.

    asyncio accepts all connections of this queue at once, so none of them may displace another.
    Clients beyond the queue must try again. Linux queues one connection more than requested.
    """
    return max(1, most_connections() - 1)


def most_connections() -> int:
    """Return the number of connections, at most half of the files that may be open."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(MOST_CONNECTIONS, files // 2))

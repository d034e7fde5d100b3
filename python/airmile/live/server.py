"""Connections: a bounded number in one thread, each with a deadline for its whole request.

A client that is slow holds a place and nothing else; when all places are taken, the one that has
held its place for longest loses it to the newest. Honest clients send their request at once, so
they are answered however many slow ones there are.
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
"""At a time; fewer where fewer files may be open."""

DEADLINE_S = 5.0
"""Seconds from the connection to the end of the answer."""

LONGEST_HEAD = 16 << 10
"""Bytes of a request; browsers send less than half."""

Respond = Callable[[bytes], bytes]
"""Seconds from the head of a request to the whole answer."""

TOO_LONG = (
    f"HTTP/1.1 {HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE.value} Too Large\r\n"
    "Content-Length: 0\r\nConnection: close\r\n\r\n"
).encode()


@contextmanager
def running(listener: socket, respond: Respond) -> Iterator[None]:
    """Answer in a thread of its own, until the block is left."""
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
    """The connections there are, the oldest first."""

    def __init__(self, respond: Respond) -> None:
        self._respond = respond
        self._open: dict[asyncio.StreamWriter, None] = {}
        self._most = most_connections()
        self._over: concurrent.futures.Future[None] = concurrent.futures.Future()

    async def answer(self, listener: socket) -> None:
        """Answer until `close`; whoever is connected then is let go."""
        # Standard error is for the user, whom a client that hung up does not concern.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        server = await asyncio.start_server(
            self._serve, sock=listener, limit=LONGEST_HEAD, backlog=backlog()
        )
        try:
            await asyncio.wrap_future(self._over)
        finally:
            server.close()

    def close(self) -> None:
        """End it, from another thread."""
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
    """Let as many wait in the system's queue as there are places, and the others knock again.

    Who is taken from it at once, by asyncio, never loses a place to another one of the same queue.
    Linux holds one more than was requested.
    """
    return max(1, most_connections() - 1)


def most_connections() -> int:
    """Leave half of the files that may be open to everything else."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(MOST_CONNECTIONS, files // 2))

"""Functions that the clients of workloads share: connect, request, run jobs at the same time."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from airmile.testbed.hosts import namespaces

SERVER = os.environ.get("AIRMILE_TESTBED_SERVER", namespaces.SERVER)
PORT = int(os.environ.get("AIRMILE_TESTBED_PORT", "80"))
"""The address and the port of the testbed's server, which the run sets."""

READ_BYTES = 1 << 16


class Say(Protocol):
    """A function that reports an event with its values."""

    def __call__(self, event: str, **more: object) -> None: ...


@dataclass(frozen=True)
class Fetched:
    """One answer: times of request, first byte and end, size in bytes, and ports."""

    request_unix: float
    first_unix: float
    end_unix: float
    bytes: int
    ue_port: int = 0
    port: int = 0


def connect(receive_buffer: int = 0, port: int = 0) -> socket.socket:
    """Connect to the server of the run; without `port`, at its ordinary port."""
    connection = socket.socket()
    if receive_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    connection.connect((SERVER, port or PORT))
    return connection


def get(
    connection: socket.socket,
    path: str,
    *,
    until: float | None = None,
    read_bytes: Callable[[int], int] = lambda _: READ_BYTES,
    on_bytes: Callable[[int], None] | None = None,
) -> Fetched:
    """Request a path and read the answer to its end, or until the time `until`.

    `read_bytes` returns the most bytes to read at once. `on_bytes` is called after each read. Both
    receive the number of bytes read so far.
    """
    request = time.time()
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
    head, body = _head(connection)
    first = time.time()
    length = next(
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length")
    )
    got = len(body)
    while got < length and (until is None or time.time() < until):
        data = connection.recv(min(read_bytes(got), length - got))
        if not data:
            break
        got += len(data)
        if on_bytes:
            on_bytes(got)
    return Fetched(request, first, time.time(), got, *_ports(connection))


def post(connection: socket.socket, size: int, send: Callable[[], object] | None = None) -> Fetched:
    """Send a body of `size` bytes, by `send` or as fast as possible, and wait for the answer."""
    request = time.time()
    connection.sendall(
        f"POST / HTTP/1.1\r\nHost: server\r\nContent-Length: {size}\r\n\r\n".encode()
    )
    if send:
        send()
    else:
        connection.sendall(bytes(size))
    _head(connection)
    now = time.time()
    return Fetched(request, now, now, size, *_ports(connection))


def together(jobs: Iterable[Callable[[], None]]) -> None:
    """Run jobs at the same time, wait for all of them, and raise the error of the first to fail."""
    every = list(jobs)
    with ThreadPoolExecutor(max(len(every), 1)) as pool:
        for done in [pool.submit(job) for job in every]:
            done.result()


def _ports(connection: socket.socket) -> tuple[int, int]:
    """Return the ports of the phone and of the server."""
    return connection.getsockname()[1], connection.getpeername()[1]


def _head(connection: socket.socket) -> tuple[bytes, bytes]:
    got = b""
    while b"\r\n\r\n" not in got:
        data = connection.recv(READ_BYTES)
        if not data:
            raise ConnectionError("the server closed before it answered")
        got += data
    head, _, body = got.partition(b"\r\n\r\n")
    return head, body

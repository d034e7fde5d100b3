"""The web server of the testbed: ``python -m airmile.testbed.server PORT...``.

It speaks HTTP/1.1 with persistent connections. ``GET /bytes/N`` returns N bytes as fast as
possible, ``GET /paced/N/BPS/CHUNK_MS`` returns them in chunks at a rate in bit/s, and ``GET
/late-fin/N/SECONDS`` closes the connection that many seconds later. ``POST`` accepts a body.
``?control=NAME`` sends the answer with another congestion control than the host's.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import IO

from airmile.testbed.hosts import rights

PORTS = (80, 443, 7777)
"""The ports of BT19 (section 5.1); the server speaks plain HTTP on all of them.

Proxies of operators treat the first two as web traffic, and do not change the third.
"""

BLOCK = bytes(1 << 16)


def serve(port: int) -> None:
    """Serve connections on a port until the process ends."""
    listener = socket.create_server(("0.0.0.0", port), backlog=512)
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=_session, args=(connection,), daemon=True).start()


def paced(send: Callable[[bytes], object], size: int, bps: float, chunk_ms: float) -> None:
    """Send `size` bytes at `bps`, one chunk per `chunk_ms`; catch up at once after a late chunk."""
    chunk = bytes(max(1, int(bps / 8 * chunk_ms / 1e3)))
    start, sent, number = time.monotonic(), 0, 0
    while sent < size:
        send(chunk[: size - sent])
        sent += len(chunk)
        number += 1
        time.sleep(max(0.0, start + number * chunk_ms / 1e3 - time.monotonic()))


def _session(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with connection, connection.makefile("rb") as requests:
        try:
            while head := requests.readline():
                method, target, _ = head.decode("ascii").split(" ", 2)
                path, _, control = target.partition("?control=")
                length = _headers(requests)
                if control:
                    connection.setsockopt(
                        socket.IPPROTO_TCP, socket.TCP_CONGESTION, control.encode("ascii")
                    )
                if method == "POST":
                    _take(requests, length)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                elif not _answer(connection, path.strip("/").split("/")):
                    return
        except OSError:
            return


def _headers(requests: IO[bytes]) -> int:
    """Read the header up to the empty line, and return the length of the body."""
    length = 0
    while line := requests.readline().strip():
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    return length


def _take(requests: IO[bytes], length: int) -> None:
    while length > 0:
        got = requests.read(min(length, len(BLOCK)))
        if not got:
            return
        length -= len(got)


def _answer(connection: socket.socket, path: list[str]) -> bool:
    """Answer one request; return whether the connection stays open."""
    what, size = path[0], int(path[1])
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
    if what == "paced":
        paced(connection.sendall, size, float(path[2]), float(path[3]))
        return True
    for start in range(0, size, len(BLOCK)):
        connection.sendall(BLOCK[: size - start])
    if what == "late-fin":
        time.sleep(float(path[2]))
        return False
    return True


if __name__ == "__main__":
    rights.become()
    for number in sys.argv[1:]:
        threading.Thread(target=serve, args=(int(number),)).start()

"""Asks in several writes: SERVER PORT WRITES NODELAY COUNT PAUSE_MS WRITE_BYTES."""

from __future__ import annotations

import random
import socket
import struct
import sys
import time


def main() -> None:
    """Ask several times on one connection."""
    server, port = sys.argv[1], int(sys.argv[2])
    writes, nodelay, count, pause_ms, size = map(int, sys.argv[3:8])
    connection = socket.create_connection((server, port))
    if nodelay:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for _ in range(count):
        answer = random.choice([200, 900, 6000])
        _ask(connection, writes, size, answer)
        left = answer
        while left:
            left -= len(connection.recv(65536))
        time.sleep(pause_ms / 1e3 * random.uniform(0.5, 1.5))


def _ask(connection: socket.socket, writes: int, size: int, answer: int) -> None:
    head = struct.pack("!II", writes * size, answer)
    connection.sendall(head.ljust(size, b"h"))
    for _ in range(writes - 1):
        connection.sendall(b"b" * size)


if __name__ == "__main__":
    main()

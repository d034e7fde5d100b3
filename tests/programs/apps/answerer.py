"""Answers each request after a time: PORT THINK_MS; a request begins with its size."""

from __future__ import annotations

import random
import socket
import struct
import sys
import time


def main() -> None:
    """Serve one connection after the other."""
    port, think_ms = int(sys.argv[1]), float(sys.argv[2])
    listener = socket.create_server(("", port))
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection:
            while request := _read(connection):
                time.sleep(think_ms / 1e3 * random.uniform(0.8, 1.2))
                connection.sendall(b"a" * struct.unpack_from("!I", request, 4)[0])


def _read(connection: socket.socket) -> bytes:
    data = b""
    while len(data) < 8 or len(data) < struct.unpack_from("!I", data)[0]:
        more = connection.recv(65536)
        if not more:
            return b""
        data += more
    return data


if __name__ == "__main__":
    main()

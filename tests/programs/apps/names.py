"""A name server that answers late: ADDRESS WAIT_MS; every name has that address."""

from __future__ import annotations

import socket
import sys
import threading

TYPE_A = b"\0\1"


def main() -> None:
    """Answer until the end; each look-up waits, and repeats of it are answered too."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    listener.bind((sys.argv[1], 53))
    while True:
        query, peer = listener.recvfrom(4096)
        answer = _answer(query, sys.argv[1])
        timer = threading.Timer(float(sys.argv[2]) / 1e3, listener.sendto, (answer, peer))
        timer.daemon = True
        timer.start()


def _answer(query: bytes, address: str) -> bytes:
    end = query.index(b"\0", 12) + 5
    asks_for_a = query[end - 4 : end - 2] == TYPE_A
    counts = b"\0\1" + (b"\0\1" if asks_for_a else b"\0\0") + b"\0\0\0\0"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\0\0\4" + socket.inet_aton(address)
    head = query[:2] + b"\x81\x80" + counts + query[12:end]
    return head + (record if asks_for_a else b"")


if __name__ == "__main__":
    main()

"""Sends to a slow reader: serve PORT or SERVER PORT, then WAY PATTERN BYTES_PER_S SIZE BUFFER.

The reader logs how many bytes it has not read, every 10 ms.
"""

from __future__ import annotations

import array
import fcntl
import socket
import sys
import termios
import threading
import time


def main() -> None:
    """Send or read, as the direction says."""
    own, port, way = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    serves = own == "serve"
    reads = serves == (way == "up")
    if serves:
        listener = socket.create_server(("", port))
        _buffered(listener, reads)
        connection, _ = listener.accept()
        if way == "down":
            connection.recv(100)
    else:
        connection = socket.socket()
        _buffered(connection, reads)
        connection.connect((own, port))
        if way == "down":
            connection.sendall(b"r" * 100)
    with connection:
        _read(connection) if reads else _send(connection)


def _buffered(connection: socket.socket, reads: bool) -> None:
    if reads:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, int(sys.argv[7]))


def _send(connection: socket.socket) -> None:
    connection.sendall(bytes(int(sys.argv[6])))
    connection.shutdown(socket.SHUT_WR)
    connection.recv(1)


def _read(connection: socket.socket) -> None:
    pattern, rate, size = sys.argv[4], int(sys.argv[5]), int(sys.argv[6])
    threading.Thread(target=_log, args=(connection,), daemon=True).start()
    read, stops = 0, [size // 4, size // 2]
    while data := connection.recv(1000 if pattern == "trickle" else 16384):
        read += len(data)
        if stops and pattern == "stops" and read > stops[0]:
            stops.pop(0)
            time.sleep(2)
        elif rate:
            time.sleep(len(data) / rate)


def _log(connection: socket.socket) -> None:
    held = array.array("i", [0])
    while connection.fileno() >= 0:
        fcntl.ioctl(connection.fileno(), termios.FIONREAD, held)
        print(time.time_ns(), held[0], flush=True)
        time.sleep(0.01)


if __name__ == "__main__":
    main()

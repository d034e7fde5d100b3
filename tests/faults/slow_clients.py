"""Measures how long honest clients of `airmile live` wait beside slow ones that never give up."""

from __future__ import annotations

import resource
import selectors
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from http.client import HTTPConnection

HONEST = 50
LONGEST_S = 1.0


def measure(slow: int) -> int:
    """Print the longest wait of honest clients; return 1 if it is too long."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    command = [sys.executable, "-m", "airmile", "live", "--modem", "-", "--listen", "127.0.0.1:0"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as live:
        assert live.stderr and live.stdin
        port = int(live.stderr.readline().split(b": ")[0].rpartition(b":")[2])
        over = threading.Event()
        thread = threading.Thread(target=_trickle, args=(port, slow, over))
        thread.start()
        try:
            time.sleep(2)
            waits = [_wait_s(port) for _ in range(HONEST)]
        finally:
            over.set()
            thread.join()
            live.kill()
    print(f"live: {slow} slow clients, {HONEST} honest ones answered in {max(waits):.3f} s at most")
    return int(max(waits) > LONGEST_S)


def _wait_s(port: int) -> float:
    begun = time.monotonic()
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/v1/link")
    assert connection.getresponse().status == 200
    connection.close()
    return time.monotonic() - begun


def _trickle(port: int, count: int, over: threading.Event) -> None:
    """Keep a number of clients connected, each sending a byte now and then."""
    clients = selectors.DefaultSelector()
    while not over.is_set():
        while len(clients.get_map()) < count:
            clients.register(socket.create_connection(("127.0.0.1", port)), selectors.EVENT_READ)
        for key, _ in clients.select(0):
            clients.unregister(key.fileobj)
            key.fileobj.close()  # type: ignore[union-attr]
        for key in list(clients.get_map().values()):
            with suppress(OSError):
                key.fileobj.send(b"G")  # type: ignore[union-attr]
        over.wait(0.2)
    for key in list(clients.get_map().values()):
        key.fileobj.close()  # type: ignore[union-attr]

"""The programs at both ends: ``python -m tests.phones.traffic server`` and ``phone PLAN.json``."""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

PORT = 443
DATAGRAM = 1200
_ASK = struct.Struct(">If")
_PATIENCE_S = 15


def main(place: str, plan: str = "") -> None:
    """Serve until a signal, or run the exchanges of a plan."""
    if place == "server":
        Thread(target=_serve_udp, daemon=True).start()
        _serve_tcp()
    asked = json.loads(Path(plan).read_text())
    exchanges = [Thread(target=_ask, args=(each, asked["start_unix"])) for each in asked["all"]]
    for each in exchanges:
        each.start()
    for each in exchanges:
        each.join()


def _serve_tcp() -> None:
    with socket.create_server(("::", PORT), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        print("READY", flush=True)
        while True:
            Thread(target=_answer_tcp, args=(server.accept()[0],), daemon=True).start()


def _answer_tcp(connection: socket.socket) -> None:
    with connection:
        size, delay_s = _ASK.unpack(connection.recv(_ASK.size, socket.MSG_WAITALL))
        time.sleep(delay_s)
        connection.sendall(bytes(size))


def _serve_udp() -> None:
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as server:
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        # Of several addresses, the answer comes from the one that was asked.
        server.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVPKTINFO, 1)
        server.bind(("::", PORT))
        while True:
            asked, extra, _, peer = server.recvmsg(2048, 256)
            Thread(target=_answer_udp, args=(server, asked, extra, peer), daemon=True).start()


def _answer_udp(server: socket.socket, asked: bytes, extra: Any, peer: Any) -> None:
    size, delay_s = _ASK.unpack(asked[: _ASK.size])
    time.sleep(delay_s)
    for at in range(0, size, DATAGRAM):
        server.sendmsg([bytes(min(DATAGRAM, size - at))], extra, 0, peer)


def _ask(exchange: dict[str, Any], start_unix: float) -> None:
    family = socket.AF_INET if exchange["family"] == 4 else socket.AF_INET6
    kind = socket.SOCK_STREAM if exchange["protocol"] == "tcp" else socket.SOCK_DGRAM
    with socket.socket(family, kind) as asking:
        asking.settimeout(_PATIENCE_S)
        time.sleep(max(0.0, start_unix + exchange["at_s"] - time.time()))
        asking.connect((exchange["server"], PORT))
        asking.sendall(_ASK.pack(exchange["answer_bytes"], exchange["delay_s"]))
        left = exchange["answer_bytes"]
        while left > 0 and (got := asking.recv(65536)):
            left -= len(got)


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A split-TCP proxy in the core, transparent to both ends: ``python -m airmile.testbed.run.proxy``.

The phone's connections are redirected to the proxy (:mod:`airmile.testbed.experiment.split`). It
gets the original destination of each from the kernel (SO_ORIGINAL_DST), connects to that
destination and copies bytes both ways. So there are two connections, each with a congestion window
of its own, as with the proxies of mobile operators (BT19 section 5.3); the proxy is the sender that
the phone's radio limits.
"""

from __future__ import annotations

import socket
import struct
import threading

from airmile.testbed.experiment.split import PORT
from airmile.testbed.hosts import rights

BLOCK_BYTES = 1 << 16

_ORIGINAL_DESTINATION = 80  # SO_ORIGINAL_DST, linux/netfilter_ipv4.h


def serve(port: int = PORT) -> None:
    """Relay connections until the process ends."""
    listener = socket.create_server(("0.0.0.0", port), backlog=512)
    while True:
        phone, _ = listener.accept()
        threading.Thread(target=_relay, args=(phone,), daemon=True).start()


def _relay(phone: socket.socket) -> None:
    try:
        server = socket.create_connection(_destination(phone))
    except OSError:
        phone.close()
        return
    for end in (phone, server):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with phone, server:
        back = threading.Thread(target=copy, args=(server, phone), daemon=True)
        back.start()
        copy(phone, server)
        back.join()


def copy(source: socket.socket, target: socket.socket) -> None:
    """Copy bytes from `source` to `target` until `source` ends, then end `target`.

    The proxy reads only as fast as `target` accepts. After an error it ends both directions,
    because otherwise neither end would notice the error.
    """
    block = memoryview(bytearray(BLOCK_BYTES))
    try:
        while got := source.recv_into(block):
            target.sendall(block[:got])
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            _abandon(end)


def _abandon(end: socket.socket) -> None:
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        return


def _destination(phone: socket.socket) -> tuple[str, int]:
    """Return the original destination of a redirected connection, from a struct sockaddr_in."""
    address = phone.getsockopt(socket.SOL_IP, _ORIGINAL_DESTINATION, 16)
    port, octets = struct.unpack_from("!2xH4s", address)
    return socket.inet_ntoa(octets), port


if __name__ == "__main__":
    rights.become()
    serve()

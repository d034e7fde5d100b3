"""Ends TCP connections that outlive their processes and keep a removed namespace in memory.

A socket that is closed with data in flight goes on sending, for minutes when its link is gone.
Meanwhile it holds its namespace and its congestion control, which may be a BPF program.
SOCK_DESTROY of INET_DIAG ends it at once (linux/sock_diag.h).
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

_BY_FAMILY, _DESTROY = 20, 21
_REQUEST, _ACK, _DUMP = 0x1, 0x4, 0x300
_ERROR, _DONE = 2, 3

_CONNECTED = 0xFFF & ~(1 << 7 | 1 << 10)
"""A mask of all TCP states but CLOSE and LISTEN."""

_ID = slice(4, 52)
"""The bytes of inet_diag_sockid within inet_diag_msg."""


def destroy() -> int:
    """End every TCP connection of this thread's namespace, and return their number."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as asks:  # NETLINK_SOCK_DIAG
        found = [
            (family, each)
            for family in (socket.AF_INET, socket.AF_INET6)
            for each in list(_connections(asks, family))
        ]
        for family, each in found:
            asks.send(_message(_DESTROY, _REQUEST | _ACK, family, each))
            # The kernel refuses to end a connection that has just ended by itself; that is no
            # error.
            asks.recv(1 << 16)
    return len(found)


def _connections(asks: socket.socket, family: int) -> Iterator[bytes]:
    asks.send(_message(_BY_FAMILY, _REQUEST | _DUMP, family, bytes(48)))
    while True:
        rest = asks.recv(1 << 16)
        while len(rest) >= 16:
            size, kind = struct.unpack_from("=IH", rest)
            if kind in (_DONE, _ERROR):
                return
            yield rest[16:size][_ID]
            rest = rest[(size + 3) & ~3 :]


def _message(kind: int, flags: int, family: int, which: bytes) -> bytes:
    """Return a request that consists of nlmsghdr and inet_diag_req_v2."""
    request = struct.pack("=BBBxI", family, socket.IPPROTO_TCP, 0, _CONNECTED) + which
    return struct.pack("=IHHII", 16 + len(request), kind, flags, 0, 0) + request

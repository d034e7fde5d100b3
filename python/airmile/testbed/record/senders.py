"""Records the kernel's state of each TCP sender every 10 ms.

Run as ``python -m airmile.testbed.record.senders OUT.csv [PEER]``.

Until SIGTERM it reads by INET_DIAG (linux/inet_diag.h) every IPv4 connection of the process's
namespace, or those to the given peer. Sockets in LISTEN or TIME_WAIT have no state of a sender and
are left out. A column that the kernel does not report is empty.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airmile.testbed.hosts import rights
from airmile.testbed.run import stopping

if TYPE_CHECKING:
    from airmile.testbed.hosts.processes import Processes

PERIOD_S = 0.01

COLUMNS = (
    "t_unix,sport,dport,state,ca_state,retransmits,rto_us,snd_mss,unacked,sacked,lost,retrans_out,rtt_us,"
    "rttvar_us,ssthresh,cwnd,pacing_bps,bytes_acked,bytes_received,notsent,min_rtt_us,delivery_bps,"
    "busy_us,rwnd_lim_us,sndbuf_lim_us,total_retrans,snd_wnd,rcv_wnd,cc"
)

_STATES = sum(1 << state for state in (1, 4, 5, 8, 9, 11))
"""The mask of ESTABLISHED, FIN_WAIT1, FIN_WAIT2, CLOSE_WAIT, LAST_ACK and CLOSING."""

_INFO, _CONTROL = 2, 4
"""The attributes INET_DIAG_INFO and INET_DIAG_CONG."""


def start(
    processes: Processes, out: Path, place: str | None, peer: str = ""
) -> subprocess.Popen[str]:
    """Start the recorder in the namespace of a host, or in that of this process."""
    from airmile.testbed.hosts.processes import SENDER_PRIORITY

    return processes.python(
        *("airmile.testbed.record.senders", str(out), *([peer] if peer else [])),
        place=place,
        priority=SENDER_PRIORITY,
        stderr=subprocess.PIPE,
    )


def main(out: Path, peer: str = "") -> None:
    """Write a line for each connection in each period of 10 ms."""
    stopped = stopping.asked()
    with out.open("w") as file:
        rights.become()
        asks = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4)  # NETLINK_SOCK_DIAG
        file.write(COLUMNS + "\n")
        due = time.monotonic()
        while not stopped():
            for line in _lines(asks, socket.inet_aton(peer) if peer else b""):
                file.write(line)
            due += PERIOD_S
            time.sleep(max(0.0, due - time.monotonic()))


def _lines(asks: socket.socket, peer: bytes) -> Iterator[str]:
    asks.send(_request())
    stamp = f"{time.time():.6f}"
    while True:
        rest = asks.recv(1 << 16)
        while len(rest) >= 16:
            size, kind = struct.unpack_from("=IH", rest)
            if kind == 3:  # NLMSG_DONE
                return
            if kind == 2:  # NLMSG_ERROR
                raise OSError("INET_DIAG refused the request")
            # The peer's address is at offset 24 of inet_diag_msg.
            if rest[40:44].startswith(peer):
                yield from _line(rest[16:size], stamp)
            rest = rest[(size + 3) & ~3 :]


def _request() -> bytes:
    """Return a request for the state of all IPv4 TCP sockets (nlmsghdr, inet_diag_req_v2)."""
    header = struct.pack("=IHHII", 72, 20, 0x301, 0, 0)  # SOCK_DIAG_BY_FAMILY, REQUEST | DUMP
    extensions = 1 << (_INFO - 1) | 1 << (_CONTROL - 1)
    return header + struct.pack("=BBBBI", socket.AF_INET, 6, extensions, 0, _STATES) + bytes(48)


def _line(message: bytes, stamp: str) -> Iterator[str]:
    """Yield the line of one inet_diag_msg: ports are at offset 4 and attributes from 72."""
    source, target = struct.unpack_from("!HH", message, 4)
    info, control = b"", ""
    rest = message[72:]
    while len(rest) >= 4:
        size, kind = struct.unpack_from("=HH", rest)
        if size < 4:
            break
        if kind == _INFO:
            info = rest[4:size]
        elif kind == _CONTROL:
            control = rest[4:size].rstrip(b"\0").decode("ascii", "replace")
        rest = rest[(size + 3) & ~3 :]
    if info:
        fields = ",".join(str(value) for value in _fields(message[1], info))
        yield f"{stamp},{source},{target},{fields},{control}\n"


def _fields(state: int, info: bytes) -> list[int | str]:
    """Return the columns in a struct tcp_info, by offset; older kernels have a shorter struct."""

    def number(at: int, size: int, unknown: int | None = None) -> int | str:
        if at + size > len(info):
            return ""
        value = int.from_bytes(info[at : at + size], sys.byteorder)
        return "" if value == unknown else value

    def rate(at: int, unknown: int | None = None) -> int | str:
        bytes_per_s = number(at, 8, unknown)
        return bytes_per_s and int(bytes_per_s) * 8

    # rto, snd_mss, unacked, sacked, lost, retrans, rtt, rttvar
    words = [number(at, 4) for at in (8, 16, 24, 28, 32, 36, 68, 72)]
    return [
        *(state, number(1, 1), number(2, 1), *words),
        *(number(76, 4, _NO_THRESHOLD), number(80, 4), rate(104, _NOT_PACED)),
        *(number(120, 8), number(128, 8), number(144, 4), number(148, 4, _NO_RTT), rate(160)),
        *(number(168, 8), number(176, 8), number(184, 8)),
        *(number(100, 4), number(228, 4), number(232, 4)),
    ]


_NO_THRESHOLD = 0x7FFFFFFF
"""TCP_INFINITE_SSTHRESH, the slow-start threshold before any loss."""

_NO_RTT = 0xFFFFFFFF
"""The value of tcp_min_rtt before the first sample of the round trip."""

_NOT_PACED = (1 << 64) - 1
"""The pacing rate of a sender without pacing: all bits are one (tcp_get_info)."""


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])

"""Transport protocols, by the round trips that they take before a request can leave.

EFF14 counts two round trips: one of the handshake and one of the request. `TRANSPORTS` cites the
standards that say how many each protocol needs if nothing is lost and each flight of a handshake
fits into the initial window.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Transport:
    """A protocol that carries a request.

    Attributes
    ----------
    name : str
        The name that `transport=` accepts.
    title : str
        The name in reports.
    handshake_rtts : int
        Number of round trips before the request can leave.
    source : str
        The document and section that states this number.
    needs : str
        What the protocol needs besides support at both ends.
    """

    name: str
    title: str
    handshake_rtts: int
    source: str
    needs: str = ""


_ALL = (
    Transport("tcp", "TCP", 1, "RFC 9293 section 3.5"),
    Transport(
        "tfo", "TCP + Fast Open", 0, "RFC 7413 section 4",
        "a cookie of an earlier connection, and a request that fits the SYN",
    ),
    Transport("tls1.2", "TLS 1.2", 3, "RFC 5246 section 7.3, figure 1"),
    Transport("tls1.3", "TLS 1.3", 2, "RFC 8446 section 2, figure 1"),
    Transport(
        "tls1.3+tfo", "TLS 1.3 + Fast Open", 1,
        "RFC 8446 section 2, RFC 7413 section 4",
        "a cookie of an earlier connection, and a ClientHello that fits the SYN",
    ),
    Transport("quic", "QUIC", 1, "RFC 9001 section 4.1"),
    Transport(
        "quic-0rtt", "QUIC 0-RTT", 0, "RFC 9001 section 4.6",
        "a ticket and an address token of an earlier connection (RFC 9000 section 8.1.3), and a "
        "request that may be replayed",
    ),
)  # fmt: skip

TRANSPORTS: dict[str, Transport] = {transport.name: transport for transport in _ALL}
"""All protocols, by name."""

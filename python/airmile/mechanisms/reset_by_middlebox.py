"""A reset that the host whose address it bears did not send (RFC 3360, RFC 9293 section 3.5.2).

Proof: one side's RST ends the connection, and that side, which had not closed it, goes on with the
same connection: packets with the same addresses and ports follow without a SYN, and what they carry
is not an RST. A host that has reset a connection answers whatever follows with another RST. It is
likely where this side sends data, and open where it only acknowledges. The twins are an application
that aborts, a new connection with the same ports (its SYN may be missing from the capture), and an
RST that answers late data.

A side that falls silent at the reset shows nothing: an application that aborts looks the same.
Packets that follow within two timeouts belong to the connection that ended (methods A4), so that
only what comes later shows it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

MOST_GAP_S = 120
"""The time after which the ports may belong to another connection whose SYN the capture lacks: two
maximum segment lifetimes as systems take them; RFC 9293 section 3.4.2 allows four minutes."""

SIDES = {"phone": ("ul", "dl"), "server": ("dl", "ul")}
"""The prefix of what a side sends, and of what the other side sends."""

_KINDS = ("syn", "fin", "rst", "packets", "payload_bytes")
_ENDS = ("ue", "ue_port", "server", "server_port", "protocol")


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return False: the sums of the verdict do not show what follows a connection."""
    return False


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the connections that something on the way has reset (methods T10)."""
    columns = [f"{way}_{kind}" for way in ("ul", "dl") for kind in _KINDS]
    flows = source(dataset, "flows", "uid", "start_ns", "end_ns", "ending", *_ENDS, *columns)
    for side, (way, back) in SIDES.items():
        for row in with_frames(dataset, _query(flows, way, back)):
            certainty = "likely" if row["bytes"] > 0 else "open"
            yield Finding.of(row, None, certainty, _evidence(row, side), _advice(side))


def _query(flows: str, way: str, back: str) -> str:
    """Return SQL for connections that this side has reset, and that it then goes on with."""
    same = " AND ".join(f"later.{name} = ended.{name}" for name in ("run", *_ENDS))
    return f"""WITH flows AS ({flows})
        SELECT ended.run, ended.uid, ended.start_ns, ended.end_ns, ended.{way}_rst AS resets,
            min(later.start_ns - ended.end_ns) / 1e9 AS gap_s,
            sum(later.{way}_payload_bytes) AS bytes,
            sum(later.{way}_packets - later.{way}_rst) AS packets
        FROM flows AS ended JOIN flows AS later ON {same}
        WHERE ended.ending = 'rst' AND ended.{way}_rst > 0 AND ended.{back}_rst = 0
            AND ended.{way}_fin = 0 AND ended.{way}_packets > ended.{way}_rst
            AND later.start_ns BETWEEN ended.end_ns AND ended.end_ns + {MOST_GAP_S} * 1e9
            AND later.{way}_syn = 0 AND later.{back}_syn = 0
            AND later.{way}_packets > later.{way}_rst
            AND NOT EXISTS (FROM flows AS between_them
                WHERE {same.replace("later.", "between_them.")}
                AND between_them.ul_syn + between_them.dl_syn > 0
                AND between_them.uid != ended.uid AND between_them.start_ns >= ended.end_ns
                AND between_them.start_ns <= later.start_ns)
        GROUP BY ALL"""


def _evidence(row: dict[str, Any], side: str) -> str:
    what = (
        f"{counted(row['resets'], 'RST')} came from the {side}'s address, and "
        f"{seconds(row['gap_s'])} after the end the {side} went on with the same connection"
    )
    if row["bytes"] > 0:
        return f"{what}: it sent {count(row['bytes'])}{NBSP}B more"
    return (
        f"{what}: it sent {counted(row['packets'], 'ACK')} and no RST; a new connection with the "
        "same ports whose SYN the capture lacks would look the same"
    )


def _advice(side: str) -> str:
    return (
        f"look for what stands between the capture point and the {side}: a firewall, a NAT whose "
        "entry ran out, an operator's proxy or filter. Compare TTL and IP identification of the "
        f"RST with the {side}'s other packets, and capture at the {side}: an RST that never left "
        "it was made on the way"
    )


DECLARATION = Mechanism("reset by something on the way", "undetermined", may_be, find)
"""The declaration of the mechanism."""

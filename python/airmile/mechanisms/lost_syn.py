"""A SYN that was lost, so that its sender's timer decided when the connection opened.

Proof: the SYN-ACK echoes a later SYN than the first (RFC 7323 section 3). Its twins: a lost SYN-ACK
of a server that answers each SYN anew (SYN cookies), and without timestamps a SYN that was late.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables


LOST = "the SYN was lost"
"""How the reason of a slice begins that a lost SYN explains."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether a lost SYN is the main reason of a flow's handshake."""
    reasons = (flow["reasons"].get("handshake_dns") for flow in sums["flows"])
    return any(reason is not None and reason.startswith(LOST) for reason in reasons)


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows whose SYN was lost (methods T10)."""
    slices = source(dataset, "slices", "uid", "start_ns", "end_ns", "reason")
    flows = source(dataset, "flows", "uid", "ul_syn")
    query = f"""SELECT run, uid, ul_syn, min(start_ns) AS start_ns, max(end_ns) AS end_ns
        FROM ({slices}) JOIN ({flows}) USING (run, uid)
        WHERE starts_with(reason, '{LOST}') AND ul_syn > 1 GROUP BY ALL"""
    for row in with_frames(dataset, query):
        yield Finding.of(
            row,
            None,
            "likely",
            _evidence(row),
            "a loss in the first second of a connection costs a second or more: keep connections "
            "open, or race two (Happy Eyeballs, RFC 8305)",
        )


def _evidence(row: dict[str, Any]) -> str:
    waited = seconds((row["end_ns"] - row["start_ns"]) / 1e9)
    sent = counted(row["ul_syn"], "SYN")
    return f"{sent} were sent, and the SYN-ACK echoes a later one than the first, {waited} after it"


DECLARATION = Mechanism("lost SYN", "handshake_dns", may_be, find)
"""The declaration of the mechanism."""

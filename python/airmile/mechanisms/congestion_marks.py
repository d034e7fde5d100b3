"""A queue that marks packets instead of dropping them (ECN, RFC 3168).

Proof: packets with CE passed, which is what a congested queue sets (section 5), or the receiver
echoed CE (ECE, section 6.1). Marks that passed here were set before the capture point, marks that
only the echo shows behind it. The twins are a connection that agrees on ECN and is never marked,
and a router that overwrites the field in every packet: it leaves no other code points. Flags that
count marks (Accurate ECN, RFC 9768) are no echoes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_MARKS = 3
"""Packets with CE, or with ECE: fewer may be damaged headers; our choice."""

MOST_RATIO = 0.9
"""The share of marked packets above which the field is overwritten, not set by a queue; our
choice. A queue that marks so many would drop them (RFC 3168 section 7)."""

BACK = {"dl": "ul", "ul": "dl"}
"""The direction in which the receiver of a direction answers."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return False: the sums of the verdict hold no marks."""
    return False


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows that a queue has marked (methods T10)."""
    kinds = ("ecn_ce", "ecn_capable", "ece")
    columns = [f"{way}_{kind}" for way in BACK for kind in kinds]
    flows = source(dataset, "flows", "uid", "start_ns", "end_ns", *columns)
    for way, back in BACK.items():
        query = f"""SELECT run, uid, start_ns, end_ns, {way}_ecn_ce AS marked,
                {way}_ecn_capable AS capable, coalesce({back}_ece, 0) AS echoed
            FROM ({flows})
            WHERE greatest(marked, echoed) >= {LEAST_MARKS} AND capable > 0
                AND marked <= {MOST_RATIO} * capable"""
        for row in with_frames(dataset, query):
            yield _finding(row, "downlink" if way == "dl" else "uplink")


def _finding(row: dict[str, Any], direction: str) -> Finding:
    # ECE alone may also be a bit that is set by mistake.
    certainty = "sure" if row["marked"] > 0 else "likely"
    sender = "server" if direction == "downlink" else "phone"
    return Finding.of(row, direction, certainty, _evidence(row), _advice(sender))


def _evidence(row: dict[str, Any]) -> str:
    if row["marked"] > 0:
        return (
            f"{count(row['marked'])} of {count(row['capable'])}{NBSP}packets that may be marked "
            "passed with CE: a congested queue before the capture point marks instead of dropping"
        )
    return (
        f"the receiver echoed CE in {count(row['echoed'])}{NBSP}packets, and none passed here with "
        "it: a congested queue behind the capture point marks instead of dropping"
    )


def _advice(sender: str) -> str:
    return (
        "a mark itself loses nothing, and it keeps the queue short: the sender slows down as "
        f"after a loss (RFC 3168 section 6.1.2). For a higher rate give the {sender} a congestion "
        "control that answers marks by their share (DCTCP RFC 8257, L4S RFC 9331) if the queue "
        "supports it"
    )


DECLARATION = Mechanism("marks of a congested queue (ECN)", "congestion_window", may_be, find)
"""The declaration of the mechanism."""

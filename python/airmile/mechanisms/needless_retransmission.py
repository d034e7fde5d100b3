"""Retransmissions of data that had arrived: a timer or a count of duplicate ACKs fired too early.

Proof: the receiver said so (D-SACK, RFC 2883), or had acknowledged the bytes here before they
were sent again. A timer that fired too early lets new data follow (RFC 5682). The twin is an ACK
that was lost between here and the sender, which then had to wait for its timer. A capture that
records packets twice shows nothing, nor does a receiver that resets the connection, and a SYN that
is sent again is a finding of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from airmile._words import NBSP, count, counted
from airmile.mechanisms._declaration import Finding, Mechanism
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_PACKETS = 3
"""So many are more than a tail loss probe that came too early; our choice."""

LEAST_RATIO = 0.5
"""Their share of all that was sent again: below, the losses are what matters; our choice."""

MOST_TWICE_RATIO = 0.1
"""Packets that the capture recorded twice, for each needless one; our choice."""

WAYS = {"downlink": "dl", "uplink": "ul"}
"""The prefix of the columns of a direction."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return whether a flow has such retransmissions."""
    return any(
        _is_many(*(flow[f"{way}_{kind}"] or 0 for kind in _SENT_AGAIN))
        for flow in sums["flows"]
        for way in WAYS.values()
    )


def _is_many(needless: int, *others: int) -> bool:
    return needless >= LEAST_PACKETS and needless >= LEAST_RATIO * (needless + sum(others))


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows with needless retransmissions (methods T10)."""
    columns = (f"{way}_{kind}" for way in WAYS.values() for kind in _COUNTS)
    flows = source(dataset, "flows", "uid", *columns)
    episodes = source(
        dataset, "loss_episodes", "uid", "direction", "start_ns", "end_ns", "timeout_undone"
    )
    for direction, way in WAYS.items():
        query = f"""SELECT run, uid, {way}_{_NEEDLESS} AS needless,
                {_sum(way)} AS every,
                min(start_ns) AS start_ns, max(end_ns) AS end_ns,
                count(*) FILTER (timeout_undone) AS undone
            FROM ({flows}) JOIN ({episodes}) USING (run, uid)
            WHERE direction = '{direction}' AND needless >= {LEAST_RATIO} * every
                AND needless - greatest({way}_syn - 1, 0) >= {LEAST_PACKETS}
                AND {way}_recorded_twice < {MOST_TWICE_RATIO} * needless
                AND coalesce({_BACK[way]}_rst, 0) = 0
            GROUP BY ALL"""
        for row in with_frames(dataset, query):
            yield Finding.of(row, direction, "likely", _evidence(row), _advice(direction))


def _sum(way: str) -> str:
    """Return SQL for all packets that were sent again."""
    return " + ".join(f"coalesce({way}_{kind}, 0)" for kind in _SENT_AGAIN)


_BACK = {"dl": "ul", "ul": "dl"}
_NEEDLESS = "spurious_retransmissions"
_SENT_AGAIN = (_NEEDLESS, "retransmissions", "upstream_losses", "tail_probes")
_COUNTS = (*_SENT_AGAIN, "recorded_twice", "syn", "rst")


def _evidence(row: dict[str, Any]) -> str:
    what = (
        f"{count(row['needless'])} of {count(row['every'])}{NBSP}packets that were sent again had "
        "arrived, as the receiver's ACKs show"
    )
    undone = row["undone"]
    if not undone:
        return what
    return f"{what}; after {counted(undone, 'timeout')} new data followed: the timer was too early"


def _advice(direction: str) -> str:
    sender = "server" if direction == "downlink" else "phone"
    return (
        "these were not lost: packets or ACKs came late or out of order (HARQ, a handover, a "
        f"queue that grows fast). See that the {sender} has RACK and undoes such timeouts (RFC "
        "8985, RFC 5682: net.ipv4.tcp_recovery, tcp_frto), with SACK and timestamps on"
    )


DECLARATION = Mechanism("needless retransmissions", "loss_recovery", may_be, find)
"""The declaration of the mechanism."""

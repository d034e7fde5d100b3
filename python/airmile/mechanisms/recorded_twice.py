"""A capture point that records packets twice, such as a mirror of both ports of a switch.

Proof: the engine found copies with the same sequence numbers and IP identification within 5 ms
(methods A10), and they are a large share of the packets of a direction. A sender that retransmits
takes a new IP identification, so that retransmissions are no copies. The analysis counts each
packet once; other programs that read the capture count it twice.
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

LEAST_PACKETS = 10
"""Fewer copies may be those of a network that doubles a packet now and then; our choice."""

LEAST_RATIO = 0.1
"""Their share of the packets of their direction that were sent; our choice."""

WAYS = {"downlink": "dl", "uplink": "ul"}
"""The prefix of the columns of a direction."""


def may_be(sums: Mapping[str, Any]) -> bool:
    """Return False: the notes on the quality of the capture say the same."""
    return False


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows whose packets were recorded twice (methods T10)."""
    columns = [f"{way}_{kind}" for way in WAYS.values() for kind in ("packets", "recorded_twice")]
    flows = source(dataset, "flows", "uid", "start_ns", "end_ns", *columns)
    enough = " OR ".join(f"({_enough(way)})" for way in WAYS.values())
    query = f"SELECT * FROM ({flows}) WHERE {enough}"
    for row in with_frames(dataset, query):
        yield Finding.of(row, _direction(row), "sure", _evidence(row), ADVICE)


def _enough(way: str) -> str:
    """Return SQL for enough copies among the packets of a direction."""
    twice = f"{way}_recorded_twice"
    return f"{twice} >= {LEAST_PACKETS} AND {twice} >= {LEAST_RATIO} * ({way}_packets - {twice})"


def _direction(row: dict[str, Any]) -> str:
    """Return the direction with more copies."""
    return max(WAYS, key=lambda name: row[f"{WAYS[name]}_recorded_twice"] or 0)


def _evidence(row: dict[str, Any]) -> str:
    twice = sum(row[f"{way}_recorded_twice"] or 0 for way in WAYS.values())
    once = sum(row[f"{way}_packets"] or 0 for way in WAYS.values()) - twice
    return (
        f"{count(twice)} of {count(once)}{NBSP}packets were recorded a second time, with the same "
        "sequence numbers and IP identification, within 5 ms"
    )


ADVICE = (
    "record each packet once: mirror one port or one direction of it, name one interface instead "
    "of '-i any', and keep one file of captures that overlap. airmile counts each packet once; "
    "other programs take the copies for retransmissions (editcap -d removes them)"
)
"""What to do."""

DECLARATION = Mechanism("packets that were recorded twice", "undetermined", may_be, find)
"""The declaration of the mechanism."""

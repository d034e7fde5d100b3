"""A connection that a middlebox or the server forgot while it rested (RFC 5382 section 5).

Proof: after a rest of `LEAST_REST_S` or more, data was sent again and again by a growing timer, and
nothing of it was acknowledged any more. It is likely where data of the phone's other connections
was acknowledged meanwhile, so that the link was there; else a link that went away looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import counted, seconds
from airmile.mechanisms._declaration import Finding, Mechanism, losses_last
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_REST_S = 30
"""So long a rest may be forgotten; our choice. RFC 5382 section 5 asks for two hours at least."""

LEAST_REPEATS = 3
"""How often the data was sent again at least; our choice."""

MOST_BEFORE_S = 3
"""The rest ends so long before the first retransmission at most (RFC 6298 section 5.7: 3 s)."""


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows that were forgotten while they rested (methods T10)."""
    columns = ("uid", "direction", "start_ns", "end_ns", "repeats", "closed", "duplicate_acks")
    episodes = source(dataset, "loss_episodes", *columns, "sacked_bytes")
    slices = source(dataset, "slices", "uid", "start_ns", "end_ns", "cause", "delivery_bps")
    flows = source(dataset, "flows", "uid", "ue")
    query = f"""WITH episodes AS ({episodes}), slices AS ({slices}), flows AS ({flows})
        SELECT lost.run, lost.uid, lost.direction, lost.start_ns, lost.end_ns, lost.repeats,
            max(rest.end_ns - rest.start_ns) / 1e9 AS rest_s,
            EXISTS (FROM slices AS other JOIN flows AS its USING (run, uid)
                WHERE its.run = flows.run AND its.ue = flows.ue AND its.uid != lost.uid
                AND other.delivery_bps > 0 AND other.start_ns BETWEEN lost.start_ns AND lost.end_ns
            ) AS alive
        FROM episodes AS lost JOIN flows USING (run, uid) JOIN slices AS rest USING (run, uid)
        WHERE lost.repeats >= {LEAST_REPEATS} AND NOT lost.closed AND lost.duplicate_acks = 0
            AND lost.sacked_bytes = 0 AND rest.cause = 'idle'
            AND rest.end_ns - rest.start_ns >= {LEAST_REST_S} * 1e9
            AND NOT EXISTS (FROM slices AS later WHERE later.run = lost.run
                AND later.uid = lost.uid AND later.delivery_bps > 0
                AND later.start_ns > lost.start_ns)
            AND rest.end_ns BETWEEN lost.start_ns - {MOST_BEFORE_S} * 1e9 AND lost.start_ns
        GROUP BY ALL"""
    for row in with_frames(dataset, query):
        certainty = "likely" if row["alive"] else "open"
        yield Finding.of(row, row["direction"], certainty, _evidence(row), _advice(row))


def _evidence(row: dict[str, Any]) -> str:
    what = (
        f"after a rest of {seconds(row['rest_s'])} data was sent again "
        f"{counted(row['repeats'], 'time')}, and nothing was acknowledged any more"
    )
    if row["alive"]:
        return f"{what}, while other connections of this phone went on"
    return f"{what}: a link that went away would look the same"


def _advice(row: dict[str, Any]) -> str:
    return (
        "send a keep-alive more often than the network forgets (less than "
        f"{seconds(row['rest_s'])}), or open a new connection after such a rest"
    )


DECLARATION = Mechanism("connection forgotten while it rested", "loss_recovery", losses_last, find)
"""The declaration of the mechanism."""

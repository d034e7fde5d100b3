"""A policer: a token bucket that drops what exceeds a rate, without a queue (RFC 2475, RFC 2698).

Proof: at each loss the bucket was empty, so that the bytes delivered from loss to loss lie on a
line, whatever is offered between them; before the first loss data passed faster than this, from the
full bucket, and later never again as fast; and there was no queue at the losses. It is likely at
best: a rate that a sender keeps for other reasons would draw a line, too.

The twins: CoDel and other queues that drop early (a queue is there), a shallow buffer (the rate of
the link passes before each loss, not only before the first), and random losses, after which the
rate falls or rises by chance. A sender that rests lets the bucket fill; then no line shows.

The method follows Flach et al., "An Internet-Wide Analysis of Traffic Policing", ACM SIGCOMM 2016,
section 2; the thresholds are ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from airmile._words import counted, rate, seconds
from airmile.mechanisms._declaration import Finding, Mechanism, losses_last
from airmile.mechanisms._spans import with_frames
from airmile.store._needs import source
from airmile.store._rows import LENGTH_NS

if TYPE_CHECKING:
    from airmile.store import Tables

LEAST_LOSSES = 6
"""Loss episodes: fewer points lie near a line by chance; our choice."""

LEAST_S = 2
"""The least time from the first loss to the last; our choice."""

MOST_OFF_RATIO = 0.03
"""How far a point may be from the line, as a share of all bytes on it; our choice."""

MOST_UNEVEN_RATIO = 0.12
"""The mean difference from the line from one loss to the next, as a share; our choice. Random
losses under Reno give 0.3 and more."""

LEAST_BURST_RATIO = 1.5
"""How much faster than the line some 100 ms before the first loss are; our choice. A sender with a
short queue keeps two thirds of the link's rate and more."""

LEAST_ABOVE_LATER = 1.1
"""How much faster they are than any 100 ms after it; our choice. A bucket is full only while nobody
asks for much; the bursts of a link with a short queue are alike."""

MOST_QUEUE_RATIO = 0.3
"""The share of a slice with a queue, in the middle of all losses; our choice: jitter looks like a
short queue."""

MOST_RESTS_RATIO = 0.2
"""The share of the time in which an application or a window held the data back; our choice."""

RESTS = ("idle", "sender_app", "receiver_app", "receive_window", "round_trip")
"""The causes of slices in which nothing tests the rate."""


def find(dataset: Tables) -> Iterator[Finding]:
    """Yield the flows that a policer limits (methods T10)."""
    of_slices = ("uid", "direction", "start_ns", "end_ns", "cause", "delivery_bps", "rtt_ms")
    slices = source(dataset, "slices", *of_slices, "queue_ratio", "upstream_queue_ratio")
    of_losses = ("uid", "direction", "start_ns", "lost_here", "lost_upstream")
    losses = source(dataset, "loss_episodes", *of_losses)
    query = f"""WITH slices AS ({slices}), losses AS ({_losses(losses)}),
        points AS ({_POINTS}), lines AS ({_LINES}), spans AS ({_SPANS})
        SELECT *, first_ns AS start_ns, last_ns AS end_ns
        FROM ({_DIFFERENCES}) JOIN spans USING (run, uid, direction)
        WHERE off <= {MOST_OFF_RATIO} AND uneven <= {MOST_UNEVEN_RATIO}
            AND burst_bps >= {LEAST_BURST_RATIO} * line_bps
            AND burst_bps >= {LEAST_ABOVE_LATER} * later_bps
            AND rests_ns <= {MOST_RESTS_RATIO} * (last_ns - first_ns)"""
    for row in with_frames(dataset, query):
        yield Finding.of(row, row["direction"], "likely", _evidence(row), _advice(row))


def _losses(losses: str) -> str:
    """Return SQL for the losses of flows that have enough of them."""
    return f"""SELECT run, uid, direction, start_ns AS at_ns, lost_here + lost_upstream AS lost
        FROM ({losses}) WHERE lost > 0
        QUALIFY count(*) OVER (PARTITION BY run, uid, direction) >= {LEAST_LOSSES}"""


_POINTS = """SELECT losses.*, rtt_ms,
        before_bytes + delivery_bps * (least(at_ns, end_ns) - start_ns) / 8e9 AS delivered_bytes,
        CASE WHEN queue_ratio IS NOT NULL
            THEN greatest(queue_ratio, coalesce(upstream_queue_ratio, 0)) END AS queue
    FROM losses ASOF JOIN (
        SELECT *, sum(delivery_bps * (end_ns - start_ns) / 8e9) OVER (
            PARTITION BY run, uid, direction ORDER BY start_ns
            ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) - delivery_bps * (end_ns - start_ns) / 8e9 AS before_bytes
        FROM slices SEMI JOIN losses USING (run, uid, direction)
    ) AS delivered
    ON losses.run = delivered.run AND losses.uid = delivered.uid
        AND losses.direction = delivered.direction AND losses.at_ns >= delivered.start_ns"""
"""The bytes delivered until each loss, and the queue at it."""

_LINES = f"""SELECT run, uid, direction, min(at_ns) AS first_ns, max(at_ns) AS last_ns,
        count(*) AS episodes, sum(lost) AS lost, median(rtt_ms) AS rtt_ms,
        arg_min(delivered_bytes, at_ns) AS from_bytes,
        arg_max(delivered_bytes, at_ns) - from_bytes AS bytes,
        bytes * 8e9 / (last_ns - first_ns) AS line_bps
    FROM points GROUP BY run, uid, direction
    HAVING last_ns - first_ns >= {LEAST_S} * 1e9 AND bytes > 0
        AND median(queue) <= {MOST_QUEUE_RATIO}"""
"""The line from the first loss to the last, where no queue is at the losses."""

_DIFFERENCES = """SELECT lines.*,
        max(abs(delivered_bytes - from_bytes - line_bps * (at_ns - first_ns) / 8e9) / bytes) AS off,
        sum(abs(step_bytes - line_bps * step_ns / 8e9) / bytes) AS uneven
    FROM lines JOIN (
        SELECT *, delivered_bytes - lag(delivered_bytes) OVER steps AS step_bytes,
            at_ns - lag(at_ns) OVER steps AS step_ns
        FROM points WINDOW steps AS (PARTITION BY run, uid, direction ORDER BY at_ns)
    ) USING (run, uid, direction) GROUP BY ALL"""
"""How far the points are from the line, and each from the one before it."""

_SPANS = f"""SELECT run, uid, direction,
        max(delivery_bps) FILTER (start_ns <= first_ns AND {LENGTH_NS} >= 5e7) AS burst_bps,
        max(delivery_bps) FILTER (start_ns > first_ns AND end_ns <= last_ns
            AND {LENGTH_NS} >= 5e7) AS later_bps,
        coalesce(sum({LENGTH_NS}) FILTER (cause IN {RESTS} AND start_ns >= first_ns
            AND end_ns <= last_ns), 0) AS rests_ns
    FROM slices JOIN lines USING (run, uid, direction) GROUP BY ALL"""
"""The fastest slice before the first loss, and how long nothing tested the rate."""


def _evidence(row: dict[str, Any]) -> str:
    return (
        f"over {seconds((row['last_ns'] - row['first_ns']) / 1e9)} what arrived keeps to "
        f"{rate(row['line_bps'])}, {counted(round(row['lost']), 'packet')} above it were lost in "
        f"{counted(row['episodes'], 'episode')} without a queue, and before the first loss up to "
        f"{rate(row['burst_bps'])} passed"
    )


def _advice(row: dict[str, Any]) -> str:
    sender = "server" if row["direction"] == "downlink" else "phone"
    limit = rate(row["line_bps"])
    return (
        f"ask who limits this to {limit}: a plan, a fair-use rule or a rate limit of a host. "
        "Shaping (a queue) instead of policing saves what is sent twice; until then pace at the "
        f"{sender} near {limit}, or use a congestion control that estimates it (BBR)"
    )


DECLARATION = Mechanism(
    "policer, which drops what exceeds a rate", "loss_recovery", losses_last, find
)
"""The declaration of the mechanism."""

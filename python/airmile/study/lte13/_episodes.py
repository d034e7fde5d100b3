"""SQL of the trains of duplicate ACKs, and of whether a slow start followed (methods C4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store import _sql
from airmile.store._needs import has, source
from airmile.study.lte13 import _flows

if TYPE_CHECKING:
    from airmile.store import Tables

PAUSES = ("sender_app", "idle")
"""The causes of slices in which the sender's application gave it nothing to send."""

MEASURED_UNTIL = "greatest(train.end_ns, train.rss_end_ns)"
"""SQL for the end of a row of `train` and of the two spans of its R_ss."""

LOSS_STATE = 4
"""The state of Linux's sender after a timeout (TCP_CA_Loss in include/uapi/linux/tcp.h)."""


def trains(dataset: Tables) -> str:
    """Return SQL with a row per downlink train whose R_ss shows what the sender did.

    `slow_start` is the paper's rule: R_ss above 1.5. `timed_out` is whether the capture shows a
    timeout in the episode, or the sender's kernel had one, where a testbed read it. R_ss says
    nothing where the application paused: the sender then has no more to send, whatever its window.
    """
    rows = source(
        dataset, "loss_episodes", "uid", "direction", "start_ns", "end_ns", "in_flight_bytes",
        "duplicate_acks", "rss_ratio", "rss_start_ns", "rss_end_ns", "undesired_slow_start",
        "timeouts_seen",
    )  # fmt: skip
    flows = source(dataset, "flows", "uid", "ue_port", "server_port", "upstream_rtt_ms")
    return f"""(
        SELECT *, coalesce(undesired_slow_start, false) AS slow_start,
            coalesce(timeouts_seen, 0) > 0 OR {_by_kernel(dataset)} AS timed_out
        FROM {rows} AS train JOIN {flows} USING (run, uid)
        WHERE direction = 'downlink' AND rss_ratio IS NOT NULL AND NOT {_paused(dataset)})"""


def large(dataset: Tables) -> str:
    """Return SQL with a row per large flow: its losses, and its trains with a slow start.

    `slow_starts` counts trains by the paper's rule, `confirmed` those of them with a timeout. Both
    are null where data or ACKs were not captured.
    """
    flows = _flows.large(
        dataset, "uid", "undesired_slow_starts", "dl_retransmissions", "dl_upstream_losses"
    )
    known = "undesired_slow_starts IS NOT NULL"
    return f"""(
        WITH counted AS (
            SELECT run, uid, count(*) AS slow_starts, count(*) FILTER (timed_out) AS confirmed
            FROM {trains(dataset)} WHERE slow_start GROUP BY run, uid)
        SELECT dl_retransmissions + dl_upstream_losses > 0 AS lossy,
            CASE WHEN {known} THEN coalesce(slow_starts, 0) END AS slow_starts,
            CASE WHEN {known} THEN coalesce(confirmed, 0) END AS confirmed
        FROM {flows} LEFT JOIN counted USING (run, uid))"""


def _paused(dataset: Tables) -> str:
    """Return SQL for whether the application paused in a row of `train` or the spans of R_ss."""
    if not has(dataset, "slices"):
        return "false"
    slices = source(dataset, "slices", "uid", "direction", "start_ns", "end_ns", "cause")
    causes = ", ".join(map(_sql.literal, PAUSES))
    return f"""EXISTS (FROM {slices} AS pause WHERE pause.run = train.run
        AND pause.uid = train.uid AND pause.direction = 'downlink' AND cause IN ({causes})
        AND pause.end_ns > train.start_ns
        AND pause.start_ns < {MEASURED_UNTIL})"""


def _by_kernel(dataset: Tables) -> str:
    """Return SQL for whether the sender's kernel had a timeout in a row of `train`.

    It counts during the train and the spans of R_ss (methods C4). The kernel's socket is that of
    the train's flow, so another flow's timeout does not count.
    """
    if not has(dataset, "truth_tcp"):
        return "false"
    kernel = source(
        dataset, "truth_tcp", "time_ns", "place", "local_port", "peer_port", "ca_state"
    )  # fmt: skip
    return f"""EXISTS (FROM {kernel} AS kernel WHERE kernel.run = train.run
        AND place <> 'phone' AND local_port = server_port AND peer_port = ue_port
        AND ca_state = {LOSS_STATE}
        AND time_ns BETWEEN start_ns AND {MEASURED_UNTIL})"""

"""What the kernel knows of each sender against what airmile makes of its packets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from airmile.testbed.scoring.pairs import Case, Compared, Pair

if TYPE_CHECKING:
    from airmile.dataset import Dataset

Row = dict[str, Any]


def retransmissions(case: Case) -> Compared:
    """Compare the segments sent again, per flow: all classes of repeats, and losses upstream."""
    words = ("retransmissions", "spurious_retransmissions", "tail_probes", "upstream_losses")
    way = "ul" if case.direction == "uplink" else "dl"
    total = " + ".join(f"{way}_{word}" for word in words)
    return _per_flow(case, total, "total_retrans", "segments")


def upstream_losses(case: Case) -> Compared:
    """Compare the packets of each flow that were lost on the wired path before the monitor."""
    if case.direction == "uplink":
        return Compared((), "packets")
    lost = _losses(case.truth, ("wired_loss", "wired_drop_tail"), "downlink")
    return _against(case.said, lost, "dl_upstream_losses", "packets")


def timeouts(case: Case) -> Compared:
    """Compare the retransmission timeouts of the server, per flow."""
    if case.direction == "uplink":
        return Compared(())
    counted = {row["port"]: row["timeouts"] for row in case.rows(_TIMEOUTS)}
    return _against(case.said, counted, "timeouts_seen", "timeouts")


def window_limited(case: Case) -> Compared:
    """Compare the time in which the receive window held each sender back.

    By the samples in which data waited for it (see :mod:`airmile.testbed.labels`): the kernel's own
    clock stands still while a segment is deferred.
    """
    column = "ul_window_full_s" if case.direction == "uplink" else "window_full_s"
    full = {row["port"]: row["full_s"] for row in case.rows(_WINDOW_FULL)}
    return _against(case.said, full, column, "s")


def restarts(case: Case) -> Compared:
    """Compare what the congestion window did over each idle gap of a sender."""
    samples = case.rows(_CWND)
    gaps = case.said.sql(_GAPS.format(direction=case.direction)).to_pylist()
    pairs = []
    for gap in gaps:
        mine = [row for row in samples if row["port"] == gap["ue_port"]]
        if kept := _restart(mine, gap):
            pairs.append(Pair(gap["restart"], kept))
    return Compared(tuple(pairs))


def _restart(samples: list[Row], gap: Row) -> str | None:
    """Tell what the kernel's window did: it falls when the sender sends again, not before.

    The gap ends at the tap with the request or with its answer, so the sender sends from an
    upstream round trip before it on; in the silence before that nothing was in flight.
    """
    earliest = gap["end_ns"] - int((gap["upstream_rtt_ms"] or 0) * 1e6) - _SAMPLES_NS
    before = [row["cwnd"] for row in samples if row["time_ns"] <= gap["start_ns"]]
    sending = (row for row in samples if row["time_ns"] >= earliest and row["unacked"])
    first = next(sending, None)
    if not before or first is None:
        return None
    if first["cwnd"] >= before[-1]:
        return "none"
    return "reset" if first["cwnd"] <= _RESET_SEGMENTS else "decayed"


_SAMPLES_NS = 20_000_000
"""Two samples."""

_RESET_SEGMENTS = 1.25 * 10
"""Of an initial window of ten segments (RFC 6928), as methods C7 tells a reset."""


def _per_flow(case: Case, column: str, kernel: str, unit: str) -> Compared:
    """Compare a column of flows with the last value of the kernel's counter."""
    rows = case.rows(_LAST.replace("{kernel}", kernel))
    last = {row["port"]: row["value"] for row in rows}
    return _against(case.said, last, column, unit)


def _against(said: Dataset, truth: dict[int, float], column: str, unit: str) -> Compared:
    rows = said.sql(
        f"SELECT ue_port, {column} AS value FROM flows WHERE protocol = 'tcp'"
    ).to_pylist()
    pairs = (Pair(row["value"], truth[row["ue_port"]]) for row in rows if row["ue_port"] in truth)
    return Compared(tuple(pairs), unit)


def _losses(truth: Dataset, events: Iterable[str], direction: str) -> dict[int, float]:
    """Count losses per port of the phone, of every flow that has sockets in the truth."""
    named = ", ".join(f"'{event}'" for event in events)
    rows = truth.sql(
        f"""SELECT peer_port AS port, count(DISTINCT e.rowid) AS lost FROM
            (SELECT DISTINCT peer_port FROM truth_tcp WHERE place = 'server') AS flows
            LEFT JOIN (SELECT row_number() OVER () AS rowid, * FROM truth_events
                WHERE event IN ({named}) AND direction = '{direction}') AS e
            ON e.destination_port = peer_port GROUP BY ALL"""
    ).to_pylist()
    return {row["port"]: row["lost"] for row in rows}


_PORT = "CASE WHEN place = 'phone' THEN local_port ELSE peer_port END AS port"

_LAST = (
    "SELECT " + _PORT + ", arg_max({kernel}, time_ns) AS value FROM truth_tcp "
    "WHERE place = '{place}' GROUP BY port"
)

_WINDOW_FULL = (
    "SELECT port, coalesce(sum(until_ns - time_ns) FILTER (notsent > 0 "
    "AND snd_wnd < cwnd * snd_mss "
    "AND snd_wnd - unacked * snd_mss < greatest(snd_mss, snd_wnd / 3)), 0) / 1e9 AS full_s "
    "FROM (SELECT *, " + _PORT + ", lead(time_ns) OVER (PARTITION BY local_port, peer_port "
    "ORDER BY time_ns) AS until_ns FROM truth_tcp WHERE place = '{place}') GROUP BY port"
)

_TIMEOUTS = (
    "SELECT port, coalesce(sum(greatest(retransmits - before, 0)), 0)::BIGINT AS timeouts FROM "
    "(SELECT " + _PORT + ", retransmits, lag(retransmits) OVER (PARTITION BY local_port, peer_port "
    "ORDER BY time_ns) AS before FROM truth_tcp WHERE place = '{place}' AND state = 1) "
    "GROUP BY port"
)
"""The kernel counts its timeouts in a row (icsk_retransmits), of data where a connection stands."""

_CWND = (
    "SELECT time_ns, "
    + _PORT
    + ", cwnd, unacked FROM truth_tcp WHERE place = '{place}' ORDER BY time_ns"
)

_GAPS = (
    "SELECT f.ue_port, f.upstream_rtt_ms, g.start_ns, g.end_ns, g.restart "
    "FROM idle_gaps g JOIN flows f USING (uid) WHERE g.direction = '{direction}' "
    "AND g.flight_before_bytes IS NOT NULL AND g.restart IS NOT NULL ORDER BY g.start_ns"
)

"""Compares what the kernel recorded about each sender with the analysis of its packets."""

from __future__ import annotations

from collections import Counter

from airmile.testbed.scoring import flows
from airmile.testbed.scoring.flows import KEY, Connection, Key, Number, Row
from airmile.testbed.scoring.pairs import Case, Compared, Pair


def retransmissions(case: Case) -> Compared:
    """Compare the kernel's retransmissions per flow with those of all classes in the analysis."""
    words = ("retransmissions", "spurious_retransmissions", "tail_probes", "upstream_losses")
    way = "ul" if case.direction == "uplink" else "dl"
    total = " + ".join(f"{way}_{word}" for word in words)
    return flows.against(case, _values(case, _RETRANSMITTED), total, "segments")


def upstream_losses(case: Case) -> Compared:
    """Compare the data packets of each flow that were lost on the wired path to the monitor.

    An upload has no such packets. Behind a proxy there are no cases: the losses belong to the
    proxy's connections to the server, which the monitor does not see.
    """
    if case.direction == "uplink" or case.senders.place == "core":
        return Compared((), "packets")
    every = flows.connections(case)
    lost = Counter(
        flows.at(every, (row["phone_port"], row["server_port"]), row["time_ns"])
        for row in case.rows(_LOST)
    )
    truth: dict[Key, Number] = {each.key: lost[each.key] for each in every}
    return flows.against(case, truth, "dl_upstream_losses", "packets")


def timeouts(case: Case) -> Compared:
    """Compare the number of retransmission timeouts of the server per flow."""
    if case.direction == "uplink":
        return Compared((), "timeouts")
    return flows.against(case, _values(case, _TIMEOUTS), "timeouts_seen", "timeouts")


def window_limited(case: Case) -> Compared:
    """Compare the time for which the receive window limited each sender.

    The truth is the time of the samples in which data waited for the window (see
    :mod:`airmile.testbed.hosts.sockets`). The kernel's own clock is not used, because it stops
    while a segment is deferred.
    """
    column = "ul_window_full_s" if case.direction == "uplink" else "window_full_s"
    return flows.against(case, _values(case, _WINDOW_FULL), column, "s")


def restarts(case: Case) -> Compared:
    """Compare what the congestion window did over each idle gap of a sender.

    A gap is no case if its effect on the window cannot be seen: if there is no data before or after
    it, or less data after it than the flight before it (methods C7). Any other gap about which
    airmile says nothing is a case.
    """
    samples = case.rows(_WINDOWS)
    every = flows.connections(case)
    gaps = case.said.arrow(_GAPS.format(direction=case.direction)).to_pylist()
    pairs = []
    for gap in gaps:
        mine = _own(samples, every, gap)
        if kept := _restart(mine, gap):
            pairs.append(Pair(gap["restart"], kept))
    return Compared(tuple(pairs))


def _own(samples: list[Row], every: list[Connection], gap: Row) -> list[Row]:
    """Return the samples of the connection in which the gap is."""
    key = flows.at(every, (gap["ue_port"], gap["server_port"]), gap["start_ns"])
    return [row for row in samples if flows.key(row) == key]


def _restart(samples: list[Row], gap: Row) -> str | None:
    """Return what the kernel's window did over a gap.

    The window falls only when the sender sends again. The gap ends at the capture point with the
    request or its answer, so the sender sends from an upstream round trip earlier on; before that
    nothing was in flight. When the gap begins at the capture point, the last ACKs are still on
    their way to the sender, and its window still grows.
    """
    earliest = gap["end_ns"] - int((gap["upstream_rtt_ms"] or 0) * 1e6) - _SAMPLES_NS
    before = [row["cwnd"] for row in samples if row["time_ns"] < earliest]
    sending = (row for row in samples if row["time_ns"] >= earliest and row["unacked"])
    first = next(sending, None)
    if not before or first is None:
        return None
    if first["cwnd"] >= before[-1]:
        return "none"
    return "reset" if first["cwnd"] <= _RESET * first["initial_window"] else "decayed"


_SAMPLES_NS = 20_000_000
"""Two periods of the record of senders, in nanoseconds."""

_RESET = 1.25
"""The largest window after a reset, as a multiple of the initial window (methods C7)."""


def _values(case: Case, query: str) -> dict[Key, Number]:
    return {flows.key(row): row["value"] for row in case.rows(query)}


_RETRANSMITTED = (
    f"SELECT {KEY}, arg_max(total_retrans, time_ns) AS value FROM {{samples}} GROUP BY ALL"
)

_LOST = (
    "SELECT time_ns, destination_port AS phone_port, source_port AS server_port "
    "FROM truth_events WHERE event IN ('wired_loss', 'wired_drop_tail') "
    "AND direction = 'downlink' AND payload_bytes > 0"
)

_PER_CONNECTION = f"(PARTITION BY {KEY} ORDER BY time_ns)"

_WINDOW_FULL = (
    f"SELECT {KEY}, CASE WHEN count(window_full) > 0 THEN "
    "coalesce(sum(until_ns - time_ns) FILTER (window_full), 0) / 1e9 END AS value "
    f"FROM (SELECT *, lead(time_ns) OVER {_PER_CONNECTION} AS until_ns FROM {{samples}}) "
    "GROUP BY ALL"
)

_TIMEOUTS = (
    f"SELECT {KEY}, coalesce(sum(greatest(retransmits - before, 0)), 0)::BIGINT AS value "
    f"FROM (SELECT *, lag(retransmits) OVER {_PER_CONNECTION} AS before FROM {{samples}} "
    "WHERE state = 1) GROUP BY ALL"
)
"""SQL of timeouts; icsk_retransmits counts timeouts in a row once a connection is established."""

_WINDOWS = f"SELECT time_ns, {KEY}, cwnd, unacked, initial_window FROM {{samples}} ORDER BY time_ns"

_GAPS = (
    "SELECT f.ue_port, f.server_port, f.upstream_rtt_ms, g.start_ns, g.end_ns, g.restart "
    "FROM idle_gaps g JOIN flows f USING (uid) WHERE g.direction = '{direction}' "
    "AND coalesce(g.restart_reason, '') NOT IN "
    "('nothing_before', 'nothing_after', 'short_transfer') ORDER BY g.start_ns"
)

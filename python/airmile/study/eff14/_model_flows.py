"""Real short flows of the testbed beside what the model predicts from their own parameters.

The model of methods I1 gets what it needs from the run itself: the round trip of the flow's own
handshake, the initial window and the segment of the kernel's socket, and the rate of the link by
its truth. What it leaves out is counted beside it: HARQ retransmissions, waits for grants of the
uplink, slow starts that ended early, and lost packets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from airmile._errors import UsageError
from airmile.model import completion_time
from airmile.model._rounds import Rounds
from airmile.store._needs import Missing, has, source
from airmile.store._remedies import TRUTH

if TYPE_CHECKING:
    from airmile.store import Tables

Rows = list[dict[str, Any]]

RULES: tuple[Rounds, ...] = ("exact", "eff14")
"""The two ways of counting rounds (methods I1)."""

BASE = "link"
"""The arm with every effect; arms `link-...` lack some of them, on the same seeds."""

PACKET_BYTES = 1500
"""The MTU of the testbed's devices: a full segment is carried in a packet of this size."""


def flows(dataset: Tables) -> Rows:
    """Return the downloads of a dataset's runs, each with its time and the model's.

    Times are those at the phone, from the SYN to the last byte. `error` is the model's time less
    the measured one, as a share of the measured one.

    Raises
    ------
    Missing
        No run has downloads and the link's truth, or one has no analysis of the phone's capture.
    """
    lacking = [table for table in ("trials", "truth_ttis", "truth_tcp") if not has(dataset, table)]
    if lacking:
        raise Missing(f"{dataset.path}: no table {lacking[0]!r}", TRUTH)
    sizes = {(each["run"], each["ue_port"]): each for each in dataset.records(_downloads(dataset))}
    phone = _phone(dataset)
    seen = phone.records(_of_phone(phone))
    found = [{**sizes[key], **each} for each in seen if (key := _key(each)) in sizes]
    if not found:
        raise Missing(f"{dataset.path}: no download with a handshake", TRUTH)
    return [{**each, **own} for each, own in zip(found, predicted(found), strict=True)]


def predicted(rows: Rows) -> Iterator[dict[str, float]]:
    """Yield what the model says of each flow by either rule, and its error.

    Parameters
    ----------
    rows : list of dict
        Flows with `bytes`, `link_bps` (with headers), `rtt_ms`, `initial_window`, `segment_bytes`
        and `measured_s`.
    """
    size, link_bps, rtt_ms, window, segment, measured_s = (
        np.array([each[name] for each in rows], float) for name in _INPUTS
    )
    rate_bps = link_bps * segment / PACKET_BYTES
    times = {
        rule: completion_time(
            size, rate_bps, rtt_ms / 1e3, initial_window=window, segment_bytes=segment, rounds=rule
        )
        for rule in RULES
    }
    for place, real_s in enumerate(measured_s):
        own = {rule: float(times[rule][place]) for rule in RULES}
        yield {
            **{f"{rule}_s": own[rule] for rule in RULES},
            **{f"{rule}_error": (own[rule] - float(real_s)) / float(real_s) for rule in RULES},
        }


_INPUTS = ("bytes", "link_bps", "rtt_ms", "initial_window", "segment_bytes", "measured_s")


def _phone(dataset: Tables) -> Tables:
    """Return the runs as seen from the phone; raise `Missing` if one was not analysed there."""
    try:
        return dataset.at("ue")
    except UsageError as lacking:
        raise Missing(lacking.message, lacking.hint) from None


def _key(row: Mapping[str, Any]) -> tuple[str, int]:
    return row["run"], row["ue_port"]


def _downloads(dataset: Tables) -> str:
    """Return SQL with the downloads of the main workload: the size that was requested, the seed."""
    rows = source(dataset, "trials", "kind", "background", "seed", "ue_port", "bytes")
    return f"""SELECT run, ue_port, seed, bytes AS requested_bytes FROM {rows}
        WHERE kind = 'download' AND background IS NULL ORDER BY run, ue_port"""


def _of_phone(phone: Tables) -> str:
    """Return SQL with the flows as the phone sees them, and what the truth says of their time."""
    return f"""
        WITH flow AS (FROM {_captured(phone)}),
        sender AS (FROM {_sender(phone)}),
        link AS (FROM {_link(phone)}),
        lost AS (FROM {_lost(phone)})
        SELECT run, ue_port, bytes, rtt_ms, (end_ns - start_ns) / 1e9 AS measured_s,
            initial_window, segment_bytes, left_slow_start, link_bps, harq_retransmissions,
            grant_wait_ms, lost_packets
        FROM flow JOIN sender USING (run, ue_port) JOIN link USING (run, ue_port)
        JOIN lost USING (run, ue_port)
        ORDER BY run, start_ns"""


def _captured(phone: Tables) -> str:
    rows = source(
        phone, "flows", "protocol", "ue_port", "server_port", "start_ns", "handshake_rtt_ms",
        "dl_unique_bytes", "dl_last_payload_ns",
    )  # fmt: skip
    return f"""(SELECT run, ue_port, server_port, start_ns, dl_last_payload_ns AS end_ns,
            dl_unique_bytes AS bytes, handshake_rtt_ms AS rtt_ms
        FROM {rows} WHERE protocol = 'tcp' AND handshake_rtt_ms > 0
            AND dl_last_payload_ns > start_ns)"""


def _sender(phone: Tables) -> str:
    """Return SQL with the window at the start of each flow's sender, and how it left slow start."""
    rows = source(
        phone, "truth_tcp", "time_ns", "place", "local_port", "peer_port", "cwnd", "ssthresh",
        "snd_mss",
    )  # fmt: skip
    return f"""(SELECT run, ue_port, arg_min(cwnd, time_ns) AS initial_window,
            max(snd_mss) AS segment_bytes, bool_or(ssthresh IS NOT NULL) AS left_slow_start
        FROM flow JOIN {rows} AS socket USING (run)
        WHERE place <> 'phone' AND local_port = server_port AND peer_port = ue_port
            AND time_ns BETWEEN start_ns AND end_ns
        GROUP BY run, ue_port)"""


def _link(phone: Tables) -> str:
    """Return SQL with the rate of the link during each flow, and what the radio did meanwhile."""
    rows = source(
        phone, "truth_ttis", "time_ns", "direction", "available_bytes", "repeated_prbs", "blocked"
    )
    down, tti_ns = "direction = 'downlink'", "((max(time_ns) - min(time_ns)) / (count(*) / 2 - 1))"
    return f"""(SELECT run, ue_port, avg(available_bytes) FILTER ({down}) * 8e9 / {tti_ns}
                AS link_bps,
            count(*) FILTER (repeated_prbs > 0) AS harq_retransmissions,
            count(*) FILTER (blocked = 'grant') * {tti_ns} / 1e6 AS grant_wait_ms
        FROM flow JOIN {rows} AS tti USING (run) WHERE time_ns BETWEEN start_ns AND end_ns
        GROUP BY run, ue_port HAVING count(*) > 2)"""


def _lost(phone: Tables) -> str:
    """Return SQL with the number of packets of each flow that the link dropped or lost."""
    if not has(phone, "truth_events"):
        return "(SELECT run, ue_port, 0 AS lost_packets FROM flow)"
    rows = source(phone, "truth_events", "time_ns", "source_port", "destination_port")
    return f"""(SELECT flow.run, ue_port, count(event.time_ns) AS lost_packets
        FROM flow LEFT JOIN {rows} AS event ON event.run = flow.run
            AND source_port = server_port AND destination_port = ue_port
            AND time_ns BETWEEN start_ns AND end_ns
        GROUP BY flow.run, ue_port)"""

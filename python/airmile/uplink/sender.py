"""RTT_Q: the round trip that the sender's TCP measures, which includes the Qdisc.

It is the kernel's smoothed round trip (srtt, RFC 6298), from `truth_tcp` of a testbed run or the
text of `ss -ti`. UP16 measured each packet's round trip with tcp_probe; srtt lags behind it by
about eight packets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from airmile.store._needs import has, source
from airmile.uplink.curve import Curve
from airmile.uplink.reports import numbers

if TYPE_CHECKING:
    from airmile.store import Tables


def round_trips(
    dataset: Tables, flow: dict[str, Any], acked: Curve, given: pa.Table | None
) -> pa.Table | None:
    """Return `time_ns, sent_bytes, rtt_ms, released_bytes` of a flow's sender; None if unknown.

    `sent_bytes` is the number of bytes acknowledged at `time_ns`; it is read from the capture if
    the sender does not report it. `released_bytes` is what TCP had handed to the Qdisc; null if the
    sender reports neither bytes sent nor segments in flight.
    """
    rows = _rows(dataset, given)
    if rows is None:
        return None
    own = compute.and_(
        compute.equal(rows["local_port"], flow["ue_port"]),
        compute.equal(rows["peer_port"], flow["server_port"]),
    )
    known = rows.filter(compute.and_(own, compute.greater(rows["rtt_us"], 0)))
    if known.num_rows == 0:
        return None
    times = numbers(known, "time_ns")
    counted = numbers(known, "bytes_acked").astype(float)
    acknowledged = np.where(np.isnan(counted), acked.at(times), counted)
    flight = numbers(known, "unacked").astype(float) * numbers(known, "snd_mss").astype(float)
    sent = numbers(known, "bytes_sent").astype(float)
    return pa.table(
        {
            "time_ns": times,
            "sent_bytes": acknowledged,
            "rtt_ms": numbers(known, "rtt_us") / 1e3,
            "released_bytes": np.where(np.isnan(sent), acknowledged + flight, sent),
        }
    )


def _rows(dataset: Tables, given: pa.Table | None) -> pa.Table | None:
    if given is not None:
        return given.sort_by("time_ns")
    if not has(dataset, "truth_tcp"):
        return None
    rows = source(
        dataset, "truth_tcp", "time_ns", "place", "local_port", "peer_port", "rtt_us",
        "bytes_acked", "unacked", "snd_mss",
    )  # fmt: skip
    return dataset.arrow(f"""
        SELECT *, NULL::BIGINT AS bytes_sent FROM {rows} WHERE place = 'phone' ORDER BY time_ns""")

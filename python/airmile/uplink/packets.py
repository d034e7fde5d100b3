"""The packets that arrive at the firmware: uplink packets in the capture on the phone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute

from airmile.answers import _packets
from airmile.store._definitions import LARGE_BYTES, LARGE_SIZE
from airmile.store._needs import Missing, source
from airmile.uplink.curve import Curve
from airmile.uplink.reports import numbers

if TYPE_CHECKING:
    from airmile.store import Tables

FLOWS_AT_MOST = 8
"""The most flows whose packets are read again, the largest ones, to limit the memory."""

IPV4, IPV6, TCP = 20, 40, 20
"""The lengths in bytes of headers without options (RFC 791, RFC 8200, RFC 9293)."""

TIMESTAMPS = 12
"""The length in bytes of the timestamp option with its padding (RFC 7323 appendix A)."""

SYN_OPTIONS = 20
"""Bytes of MSS, SACK permitted, timestamps and window scale, as common stacks send them."""


@dataclass(frozen=True)
class Uplink:
    """The uplink bytes of a phone, and the round trips of one of its flows."""

    flow: dict[str, Any]
    enqueued: Curve
    covered_ratio: float
    """Share of the phone's uplink payload that the curve contains."""
    acks: pa.Table
    """One row per ACK of the flow: `time_ns, sent_ns, sent_bytes, rtt_ms`."""
    sent: Curve
    """The highest byte of the flow sent."""


def uplink(dataset: Tables, wanted: str) -> Uplink:
    """Read the packets of an upload and of the phone's other flows.

    Parameters
    ----------
    dataset : Tables
        A capture on the phone.
    wanted : str
        SQL condition on `flows` that the upload meets.
    """
    flow = _flow(dataset, wanted)
    beside = _flows(dataset, flow)
    chosen = [flow, *(each for each in beside if each["uid"] != flow["uid"])][:FLOWS_AT_MOST]
    tables = dict(_packets.read_each(dataset, (each["uid"] for each in chosen)))
    times, sizes = zip(*(ip_bytes(tables[each["uid"]], each) for each in chosen), strict=True)
    everything = sum(each["ul_payload_bytes"] or 0 for each in beside)
    covered = sum(each["ul_payload_bytes"] or 0 for each in chosen)
    own = tables[flow["uid"]]
    return Uplink(
        flow,
        Curve.of(np.concatenate(times), np.concatenate(sizes)),
        covered / everything if everything else 1.0,
        _acks(own),
        _sent(own),
    )


_COLUMNS = (
    "uid", "session_id", "ue", "ue_port", "server_port", "ul_payload_bytes", "ul_packets",
    "protocol", "ue_timestamps", "server_mss_bytes",
)  # fmt: skip


def _flow(dataset: Tables, wanted: str) -> dict[str, Any]:
    """Return the largest upload among the flows that meet the condition."""
    rows = source(dataset, "flows", *_COLUMNS)
    found: list[dict[str, Any]] = dataset.arrow(f"""
        FROM {rows} WHERE {wanted} AND ul_payload_bytes >= {LARGE_BYTES}
        ORDER BY ul_payload_bytes DESC, uid LIMIT 1""").to_pylist()
    if not found:
        raise Missing(
            f"{dataset.path}: no upload of {LARGE_SIZE} or more",
            "capture a bulk upload on the phone",
        )
    return found[0]


def _flows(dataset: Tables, flow: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the TCP flows of the same phone; the flow that sent most is first."""
    rows = source(dataset, "flows", *_COLUMNS)
    found: list[dict[str, Any]] = dataset.arrow(f"""
        FROM {rows} WHERE protocol = 'tcp' AND ul_packets > 0
            AND session_id IS NOT DISTINCT FROM {flow["session_id"] or "NULL"}
        ORDER BY coalesce(ul_payload_bytes, 0) + {IPV4 + TCP} * ul_packets DESC, uid""").to_pylist()
    return found


def ip_bytes(packets: pa.Table, flow: dict[str, Any]) -> tuple[Any, Any]:
    """Return the times and the IP lengths (bytes) of a flow's uplink packets.

    The table of packets has only payload lengths. The lengths of headers follow from the address
    family and the options of the flow; the next report corrects an error of a few bytes.
    """
    own = packets.filter(compute.equal(packets["direction"], "uplink"))
    payload = numbers(own, "payload_bytes")
    syn = np.array(["S" in flags for flags in own["flags"].to_pylist()], bool)
    blocks = sum(
        np.array([left is not None for left in own[f"sack_{n}_left_offset"].to_pylist()], int)
        for n in (1, 2, 3, 4)
    )
    options = np.where(blocks > 0, 4 + 8 * blocks, 0)  # RFC 2018 section 3, padded
    options = options + (TIMESTAMPS if flow["ue_timestamps"] else 0)
    headers = (IPV6 if ":" in flow["ue"] else IPV4) + TCP + np.where(syn, SYN_OPTIONS, options)
    return numbers(own, "time_ns"), payload + headers * _segments(own, payload, flow)


def _segments(own: pa.Table, payload: NDArray[np.int64], flow: dict[str, Any]) -> Any:
    """Return how many segments each record contains: offloads join several (methods A10)."""
    mss = flow["server_mss_bytes"]
    joined = numbers(own, "super_segment").astype(bool)
    if not mss:
        return np.ones(payload.size, np.int64)
    return np.where(joined, np.maximum(-(-payload // mss), 1), 1)


def _acks(packets: pa.Table) -> pa.Table:
    """Return the round trips that ACKs of the flow's uplink data measure (methods B4)."""
    kept = compute.and_(
        compute.equal(packets["direction"], "downlink"), compute.is_valid(packets["rtt_ms"])
    )
    found = packets.filter(compute.and_(kept, compute.is_valid(packets["ack_offset"])))
    times, rtt_ms = numbers(found, "time_ns"), numbers(found, "rtt_ms")
    sent = times - np.rint(rtt_ms * 1e6).astype(np.int64)
    return pa.table(
        {
            "time_ns": times,
            "sent_ns": sent,
            # The SYN takes offset 0 (RFC 9293 section 3.4).
            "sent_bytes": np.maximum(numbers(found, "ack_offset") - 1, 0),
            "rtt_ms": rtt_ms,
        }
    )


def _sent(packets: pa.Table) -> Curve:
    """Return the highest byte sent, over time."""
    data = compute.greater(packets["payload_bytes"], 0)
    own = packets.filter(compute.and_(compute.equal(packets["direction"], "uplink"), data))
    ends = numbers(own, "end_offset")
    highest = np.maximum.accumulate(ends) if ends.size else ends
    return Curve(numbers(own, "time_ns"), highest)

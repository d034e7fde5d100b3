"""The tables of truth that a run of the testbed has beside those of the analysis: their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """A column: its name in the table, its type, its unit, what it is, and its definition."""

    name: str
    type: str
    unit: str
    doc: str
    cite: str = "H5"


_INSTANT = Column("time_ns", "int64", "ns", "Start of the TTI, UTC, on the clock of the captures.")
_WAY = Column("direction", "utf8", "", "Of the data: `downlink` or `uplink`.")

TTIS = (
    _INSTANT,
    Column(
        "tti",
        "int64",
        "",
        "Number of the TTI since the start of the run.",
        "H5, TS 36.211 section 4",
    ),
    _WAY,
    Column("cell_prbs", "int64", "PRBs", "Of the carrier.", "H5, TS 36.211 section 6.2.1"),
    Column("queue_bytes", "int64", "bytes", "Waiting at its start, at the base station or modem."),
    Column("qdisc_bytes", "int64", "bytes", "Uplink: waiting in the kernel before the modem."),
    Column("available_bytes", "int64", "bytes", "What all PRBs would have carried for the phone."),
    Column("prbs", "int64", "PRBs", "Of the phone, repetitions included."),
    Column(
        "repeated_prbs",
        "int64",
        "PRBs",
        "Of these, for repetitions (HARQ).",
        "H5, TS 36.321 section 5.3.2",
    ),
    Column("other_prbs", "int64", "PRBs", "Of the other users."),
    Column("tbs_bytes", "int64", "bytes", "Of the transport block.", "H5, TS 36.213 section 7.1.7"),
    Column("served_bytes", "int64", "bytes", "Of packets in it; the rest is padding."),
    Column(
        "state",
        "utf8",
        "",
        "UNDERFLOW, ACTIVE, CONTENTION or LAST_ACTIVE (BT19 section 2.1.1).",
        "H5, G2",
    ),
    Column("blocked", "utf8", "", "What kept a waiting phone, besides the turns of others."),
    Column("late_us", "int64", "us", "How late the link ran it."),
)

TCP = (
    Column("time_ns", "int64", "ns", "When the kernel was asked, UTC.", "H5, A12"),
    Column("place", "utf8", "", "Where the socket is: `server`, `core` or `phone`."),
    Column("local_port", "int64", "", "Of the socket."),
    Column("peer_port", "int64", "", "Of its peer."),
    Column("state", "int64", "", "Of the connection, as the kernel numbers it."),
    Column("ca_state", "int64", "", "0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss."),
    Column("retransmits", "int64", "", "Timeouts in a row."),
    Column("rto_us", "int64", "us", "Retransmission timeout.", "H5, RFC 6298 section 2"),
    Column("snd_mss", "int64", "bytes", "Payload of a full segment."),
    Column("unacked", "int64", "segments", "Sent and not acknowledged."),
    Column("sacked", "int64", "segments", "Selectively acknowledged.", "H5, RFC 2018 section 3"),
    Column("lost", "int64", "segments", "Held for lost."),
    Column("retrans_out", "int64", "segments", "Sent again and not acknowledged."),
    Column("rtt_us", "int64", "us", "Smoothed round trip.", "H5, RFC 6298 section 2"),
    Column("rttvar_us", "int64", "us", "Its variation.", "H5, RFC 6298 section 2"),
    Column(
        "ssthresh",
        "int64",
        "segments",
        "Slow-start threshold; null until one is set.",
        "H5, RFC 5681 section 3.1",
    ),
    Column("cwnd", "int64", "segments", "Congestion window.", "H5, RFC 5681 section 3.1"),
    Column("pacing_bps", "int64", "bit/s", "Pacing rate."),
    Column("bytes_acked", "int64", "bytes", "Acknowledged so far."),
    Column("bytes_received", "int64", "bytes", "Received so far."),
    Column("notsent", "int64", "bytes", "Written by the application and not sent."),
    Column("min_rtt_us", "int64", "us", "Least round trip; null before the first."),
    Column("delivery_bps", "int64", "bit/s", "Delivery rate of the newest sample."),
    Column("busy_us", "int64", "us", "Time with data so far."),
    Column("rwnd_lim_us", "int64", "us", "Of it, limited by the receive window."),
    Column("sndbuf_lim_us", "int64", "us", "Of it, limited by the send buffer."),
    Column("total_retrans", "int64", "segments", "Sent again so far."),
    Column(
        "snd_wnd", "int64", "bytes", "Receive window of the peer.", "H5, RFC 9293 section 3.8.6"
    ),
    Column("rcv_wnd", "int64", "bytes", "Receive window of the socket."),
    Column("cc", "utf8", "", "Congestion control."),
)

EVENTS = (
    Column("time_ns", "int64", "ns", "When, UTC."),
    Column("event", "utf8", "", "What: promotions, drops and losses, handovers."),
    _WAY,
    Column("source_port", "int64", "", "Of the packet, where it is one's."),
    Column("destination_port", "int64", "", "Of the packet."),
    Column("sequence", "int64", "", "TCP sequence number of the packet."),
    Column("payload_bytes", "int64", "bytes", "Of the packet."),
    Column("value", "float64", "", "Milliseconds of a promotion or outage, bytes of a queue."),
)

PACKETS = (
    Column("since_start_ns", "int64", "ns", "Since the start of the run."),
    Column("end", "utf8", "", "Where it entered: `server`, `core_wired`, `core_radio`, `phone`."),
    Column("bytes", "int64", "bytes", "With the IP header."),
    Column("payload_bytes", "int64", "bytes", "Of TCP."),
)

LABELS = (
    Column("start_ns", "int64", "ns", "Start of the 100 ms, UTC.", "H6"),
    Column("end_ns", "int64", "ns", "Its end.", "H6"),
    Column(
        "label", "utf8", "", "What limited it, by the rule in the manifest; or `unknown`.", "H6"
    ),
    Column("underflow_ttis", "int64", "", "TTIs with nothing to send.", "H6"),
    Column("active_ttis", "int64", "", "TTIs that were served, with something left.", "H6"),
    Column("contention_ttis", "int64", "", "TTIs that waited unserved.", "H6"),
    Column("last_active_ttis", "int64", "", "TTIs that were served and emptied the queue.", "H6"),
    Column("available_bytes", "int64", "bytes", "What all PRBs would have carried.", "H6"),
    Column("served_bytes", "int64", "bytes", "What was carried.", "H6"),
    Column("queue_max_bytes", "int64", "bytes", "Longest queue.", "H6"),
    Column("flows", "int64", "", "Flows with data.", "H6"),
    Column(
        "label_share", "float64", "ratio", "Share of the flows' busy time with the label.", "H6"
    ),
)

TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "truth_ttis": ("TTI and direction of an emulated link", TTIS),
    "truth_tcp": ("socket of a run's hosts and 10 ms, as the kernel tells", TCP),
    "truth_events": ("promotion, drop, loss or handover of a run", EVENTS),
    "truth_packets": ("packet that entered an emulated link", PACKETS),
    "truth_labels": ("100 ms of a run: what really limited it", LABELS),
}


def document() -> dict[str, Any]:
    """Describe the tables as the engine describes its own."""
    return {
        name: {
            "doc": f"Testbed only. One row per {what}.",
            "columns": [vars(column) for column in columns],
        }
        for name, (what, columns) in TABLES.items()
    }

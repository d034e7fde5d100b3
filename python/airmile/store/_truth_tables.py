"""The tables of the truth of a testbed run: what the link, the sockets and the packets did."""

from __future__ import annotations

from airmile.store._descriptions import Column, Described

_INSTANT = Column("time_ns", "int64", "ns", "Start of the TTI, UTC, on the clock of the captures.")
_WAY = Column("direction", "utf8", "", "Direction of the data: `downlink` or `uplink`.")

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
    Column(
        "cell_prbs",
        "int64",
        "PRBs",
        "Cell bandwidth (N_RB).",
        "H5, TS 36.211 section 6.2.1",
    ),
    Column(
        "queue_bytes",
        "int64",
        "bytes",
        "Queue at the base station or modem at the start of the TTI.",
    ),
    Column("qdisc_bytes", "int64", "bytes", "Queue in the phone's Qdisc; uplink only."),
    Column("available_bytes", "int64", "bytes", "Bytes that all PRBs could carry for the phone."),
    Column("prbs", "int64", "PRBs", "PRBs of the phone, including HARQ retransmissions."),
    Column(
        "repeated_prbs",
        "int64",
        "PRBs",
        "PRBs of the phone for HARQ retransmissions.",
        "H5, TS 36.321 section 5.3.2",
    ),
    Column("other_prbs", "int64", "PRBs", "PRBs of the other users."),
    Column(
        "tbs_bytes",
        "int64",
        "bytes",
        "Size of the transport block.",
        "H5, TS 36.213 section 7.1.7",
    ),
    Column(
        "served_bytes",
        "int64",
        "bytes",
        "Bytes of packets in the transport block; the rest is padding.",
    ),
    Column(
        "sinr_db",
        "float64",
        "dB",
        "SINR at the last report of the channel (CQI); null where the rate comes from no channel.",
        "H5, TS 36.213 section 7.2.3",
    ),
    Column(
        "state",
        "utf8",
        "",
        "UNDERFLOW, ACTIVE, CONTENTION or LAST_ACTIVE (BT19 section 2.1.1).",
        "H5, G2",
    ),
    Column(
        "blocked",
        "utf8",
        "",
        "Why the phone was not served although data waited; null if others were scheduled.",
    ),
    Column("late_us", "int64", "us", "Delay with which the emulator ran the TTI."),
)

TCP = (
    Column("time_ns", "int64", "ns", "Time of the sample, UTC.", "H5, A12"),
    Column("place", "utf8", "", "Host of the socket: `server`, `core` or `phone`."),
    Column("local_port", "int64", "", "Port of the socket."),
    Column("peer_port", "int64", "", "Port of its peer."),
    Column("state", "int64", "", "State of the connection, as the kernel numbers it."),
    Column(
        "ca_state",
        "int64",
        "",
        "State of loss recovery: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.",
    ),
    Column("retransmits", "int64", "", "Consecutive timeouts."),
    Column("rto_us", "int64", "us", "Retransmission timeout.", "H5, RFC 6298 section 2"),
    Column("snd_mss", "int64", "bytes", "Payload of a full segment."),
    Column("unacked", "int64", "segments", "Segments sent and not acknowledged."),
    Column(
        "sacked",
        "int64",
        "segments",
        "Segments selectively acknowledged.",
        "H5, RFC 2018 section 3",
    ),
    Column("lost", "int64", "segments", "Segments that the sender considers lost."),
    Column("retrans_out", "int64", "segments", "Segments retransmitted and not acknowledged."),
    Column("rtt_us", "int64", "us", "Smoothed round trip.", "H5, RFC 6298 section 2"),
    Column("rttvar_us", "int64", "us", "Round-trip time variation.", "H5, RFC 6298 section 2"),
    Column(
        "ssthresh",
        "int64",
        "segments",
        "Slow-start threshold; null until one is set.",
        "H5, RFC 5681 section 3.1",
    ),
    Column("cwnd", "int64", "segments", "Congestion window.", "H5, RFC 5681 section 3.1"),
    Column("pacing_bps", "int64", "bit/s", "Pacing rate."),
    Column("bytes_acked", "int64", "bytes", "Bytes acknowledged so far."),
    Column("bytes_received", "int64", "bytes", "Bytes received so far."),
    Column("notsent", "int64", "bytes", "Bytes written by the application and not sent."),
    Column("min_rtt_us", "int64", "us", "Least round trip; null before the first one."),
    Column("delivery_bps", "int64", "bit/s", "Delivery rate of the newest sample."),
    Column("busy_us", "int64", "us", "Time with data to send so far."),
    Column("rwnd_lim_us", "int64", "us", "Part of that time limited by the receive window."),
    Column("sndbuf_lim_us", "int64", "us", "Part of that time limited by the send buffer."),
    Column("total_retrans", "int64", "segments", "Segments retransmitted so far."),
    Column(
        "snd_wnd", "int64", "bytes", "Receive window of the peer.", "H5, RFC 9293 section 3.8.6"
    ),
    Column("rcv_wnd", "int64", "bytes", "Receive window of the socket."),
    Column("cc", "utf8", "", "Congestion control."),
)

EVENTS = (
    Column("time_ns", "int64", "ns", "Time of the event, UTC."),
    Column("event", "utf8", "", "Kind of the event: promotions, drops and losses, handovers."),
    _WAY,
    Column("source_port", "int64", "", "Source port of the packet; null for other events."),
    Column("destination_port", "int64", "", "Destination port of the packet."),
    Column("sequence", "int64", "", "TCP sequence number of the packet."),
    Column("payload_bytes", "int64", "bytes", "TCP payload of the packet."),
    Column("value", "float64", "", "Milliseconds of a promotion or outage, bytes of a queue."),
)

PACKETS = (
    Column("since_start_ns", "int64", "ns", "Time since the start of the run."),
    Column(
        "end",
        "utf8",
        "",
        "End of the link at which the packet entered: `server`, `core_wired`, `core_radio`, "
        "`phone`.",
    ),
    Column("bytes", "int64", "bytes", "Length of the packet with its IP header."),
    Column("payload_bytes", "int64", "bytes", "TCP payload of the packet."),
)

LABELS = (
    Column("start_ns", "int64", "ns", "Start of the 100 ms, UTC.", "H6"),
    Column("end_ns", "int64", "ns", "End of the 100 ms.", "H6"),
    Column(
        "label",
        "utf8",
        "",
        "What limited the data, by the rule in the manifest, or `unknown`.",
        "H6",
    ),
    Column("underflow_ttis", "int64", "", "TTIs with nothing to send.", "H6"),
    Column("active_ttis", "int64", "", "TTIs that left data in the queue.", "H6"),
    Column("contention_ttis", "int64", "", "TTIs in which data waited unserved.", "H6"),
    Column("last_active_ttis", "int64", "", "TTIs that emptied the queue.", "H6"),
    Column("available_bytes", "int64", "bytes", "Bytes that all PRBs could carry.", "H6"),
    Column("served_bytes", "int64", "bytes", "Bytes carried.", "H6"),
    Column("queue_max_bytes", "int64", "bytes", "Longest queue.", "H6"),
    Column("flows", "int64", "", "Number of flows with data.", "H6"),
    Column(
        "label_share", "float64", "ratio", "Share of the flows' busy time with the label.", "H6"
    ),
)

TABLES: Described = {
    "truth_ttis": ("TTI and direction of an emulated link", TTIS),
    "truth_tcp": ("socket of a run's hosts and 10 ms, from the kernel", TCP),
    "truth_events": ("promotion, drop, loss or handover of a run", EVENTS),
    "truth_packets": ("packet that entered an emulated link", PACKETS),
    "truth_labels": ("100 ms of a run, with the true cause", LABELS),
}

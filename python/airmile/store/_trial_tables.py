"""The tables of what the workloads of a run did: trials, video clips and segments."""

from __future__ import annotations

from collections.abc import Mapping

from airmile.store._descriptions import Column

CITE = "H8"

_TRIAL = Column("trial", "int64", "", "Number of the trial in its run, from 1, by start.", CITE)
_SEED = Column(
    "seed",
    "int64",
    "",
    "Seed of the link: runs with the same seed are not independent samples; null without a link.",
    CITE,
)
_ITERATION = Column(
    "iteration",
    "int64",
    "",
    "(seed - 1) x repetitions of the sequence + turn + 1: the same for the trials of a pair.",
    CITE,
)
_TURN = Column("turn", "int64", "", "Repetition of the sequence, from 0.", CITE)
_STEP = Column("step", "int64", "", "Step of the sequence, from 1; null without a sequence.", CITE)
_PORT = Column(
    "port", "int64", "", "Port of the server; null for several connections, or none of TCP.", CITE
)
_CONTROL = Column(
    "congestion_control",
    "utf8",
    "",
    "Congestion control of the socket that sent over the radio, from the kernel.",
    CITE,
)
_START = Column("start_ns", "int64", "ns", "Time of the request, UTC.", CITE)
_FIRST = Column("first_ns", "int64", "ns", "Arrival of the first byte of the answer.", CITE)
_END = Column("end_ns", "int64", "ns", "Arrival of the last byte.", CITE)

TRIALS = (
    _TRIAL,
    Column("experiment", "utf8", "", "Name of the experiment of the run.", CITE),
    _SEED,
    _ITERATION,
    _TURN,
    _STEP,
    Column(
        "background", "int64", "", "Number of the background workload; null for the main one.", CITE
    ),
    Column("workload", "utf8", "", "Name of the workload.", CITE),
    Column(
        "kind",
        "utf8",
        "",
        "What was done: `download`, `upload`, `video`, `page`, `pings`, `iperf3` or `exchange`.",
        CITE,
    ),
    Column("number", "int64", "", "Number that the workload gave it, from 0.", CITE),
    Column(
        "uid",
        "uint64",
        "",
        "Flow of the run, found by ports and time; null where none or several are found.",
        CITE,
    ),
    Column("ue_port", "int64", "", "Port of the phone; null as `port`.", CITE),
    _PORT,
    _CONTROL,
    Column("bytes", "int64", "bytes", "Bytes of the bodies that were received or sent.", CITE),
    _START,
    _FIRST,
    _END,
    Column("duration_s", "float64", "s", "Time from `start_ns` to `end_ns`.", CITE),
    Column(
        "rate_bps", "float64", "bit/s", "`bytes` over `duration_s`; null for pages and pings.", CITE
    ),
    Column("rtt_ms", "float64", "ms", "Mean round trip of the answered pings.", "H8, H2"),
    Column("sent", "int64", "", "Number of echo requests; pings only.", CITE),
    Column("answered", "int64", "", "Number of echo requests with an answer; pings only.", CITE),
    Column(
        "sinr_mean_db",
        "float64",
        "dB",
        "Mean of the seconds' SINR of the serving cell; null where the rate comes from no channel.",
        "H8, G6",
    ),
    Column(
        "handovers",
        "int64",
        "",
        "Handovers of the link that ended during the trial; null over a real interface.",
        "H8, H5",
    ),
    Column("trustworthy", "bool", "", "Whether the run's truth can be trusted.", CITE),
)

CLIPS = (
    _TRIAL,
    _SEED,
    _ITERATION,
    _TURN,
    _STEP,
    Column("adaptation", "utf8", "", "How the player adapts: `throughput` or `buffer`.", CITE),
    Column("micro_fetch", "bool", "", "Whether it fetches single bytes in silences.", CITE),
    _PORT,
    _CONTROL,
    Column("segments", "int64", "", "Number of segments that were played.", CITE),
    Column(
        "bitrate_bps",
        "float64",
        "bit/s",
        "Mean rate of the representations, by playing time.",
        CITE,
    ),
    Column(
        "got_bps", "float64", "bit/s", "Bytes of the segments over the time of fetching them.", CITE
    ),
    Column("switches", "int64", "", "Number of changes of the representation.", CITE),
    Column("stalls", "int64", "", "Number of stalls; null where the clip was cut off.", CITE),
    Column("stalled_s", "float64", "s", "Time in stalls.", CITE),
    Column(
        "startup_s",
        "float64",
        "s",
        "Time from the start to the first frame; null if cut off.",
        CITE,
    ),
    Column("complete", "bool", "", "Whether the clip was played to its end.", CITE),
)

VIDEO = (
    _TRIAL,
    Column("segment", "int64", "", "Number of the segment, from 0.", CITE),
    _START,
    _FIRST,
    _END,
    Column("bytes", "int64", "bytes", "Size of the segment.", CITE),
    Column("bitrate_bps", "float64", "bit/s", "Rate of its representation.", CITE),
    Column("got_bps", "float64", "bit/s", "Throughput that the player measured.", CITE),
    Column("buffered_before_s", "float64", "s", "Playing time in the buffer at the request.", CITE),
    Column("buffered_s", "float64", "s", "Playing time in the buffer after the segment.", CITE),
    Column("stalled_s", "float64", "s", "Time in stalls since the start of the clip.", CITE),
    Column(
        "micro_fetches", "int64", "", "Number of single bytes fetched before the segment.", CITE
    ),
)

TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "trials": ("thing that a workload did: a download, an upload, a video, a page, pings", TRIALS),
    "clips": ("video that was played", CLIPS),
    "video": ("segment of a video", VIDEO),
}

"""The columns of the tables that `airmile table` computes from the other tables of a dataset."""

from __future__ import annotations

from collections.abc import Iterator

from airmile.store._descriptions import Column, Described

_RUN = Column("run", "utf8", "", "Run of a campaign; empty in a single dataset.", "A12")
_SESSION = Column("session_id", "uint64", "", "Session of the phone.", "A3")

CONCURRENCY = (
    _RUN,
    _SESSION,
    Column(
        "rule", "utf8", "",
        "lte13: a flow is active for 1 s after each downlink packet with payload; up16: in each "
        "slot of 1 s, counted from the session's first packet, in which it has payload.",
        "A8, LTE13 section 4.1, UP16 section 3",
    ),
    Column("flows", "int64", "flows", "Number of TCP flows active at a time.", "A8"),
    Column("seconds", "float64", "s", "Time with this number; lte13 counts from 1 on.", "A8"),
)  # fmt: skip

FINDINGS = (
    _RUN,
    Column("uid", "uint64", "", "The flow.", "T10"),
    Column(
        "transfer_id", "uint64", "",
        "The transfer of its longest slice; null where no slice holds it.", "T10",
    ),
    Column("direction", "utf8", "", "Direction of the data; null before the first data.", "T10"),
    Column("mechanism", "utf8", "", "Which mechanism was found.", "T10"),
    Column(
        "certainty", "utf8", "",
        "sure (no twin explains these packets), likely, or open (a twin does).", "T10",
    ),
    Column("start_ns", "int64", "ns", "Time of its first packet.", "T10"),
    Column("end_ns", "int64", "ns", "Time of its last packet.", "T10"),
    Column("first_frame", "uint64", "", "First frame of the slices of that time.", "T10"),
    Column("last_frame", "uint64", "", "Last frame of the slices of that time.", "T10"),
    Column("evidence", "utf8", "", "What shows it, in words.", "T10"),
    Column("advice", "utf8", "", "What to do, in words.", "T10"),
)  # fmt: skip

PERIODIC = (
    _RUN,
    Column("ue", "utf8", "", "Address of the phone.", "A3"),
    Column("service", "utf8", "", "Name of the server, or else its address.", "F2"),
    Column(
        "period_s", "float64", "s",
        "Mean time between successive requests of the series; null with `reason`.",
        "F2, LTE13 section 7.2",
    ),
    Column(
        "regularity_ratio", "float64", "ratio",
        "Share of the periods, from the first request to the last, that had a request.", "F2",
    ),
    Column(
        "jitter_s", "float64", "s", "Median distance of the intervals from whole periods.", "F2"
    ),
    Column(
        "requests", "int64", "requests", "Requests of the series; without a period, all.", "F2"
    ),
    Column("connections", "int64", "flows", "Connections that the requests used.", "F2"),
    Column("bytes", "int64", "bytes", "Payload of the responses.", "F2"),
    Column("least_bytes", "int64", "bytes", "Payload of the smallest response.", "F2"),
    Column("most_bytes", "int64", "bytes", "Payload of the largest response.", "F2"),
    Column("reason", "utf8", "", "Why there is no period; null if there is one.", "F2"),
)  # fmt: skip


def _ends(name: str, ending: str, unit: str, doc: str) -> Iterator[Column]:
    """Yield the columns of a quantity with the shortest and with the longest tail."""
    for end, tail in (("low", "shortest"), ("high", "longest")):
        yield Column(f"{name}_{end}{ending}", "float64", unit, f"{doc} with the {tail} tail.", "F3")


RADIO_ON = (
    _SESSION,
    Column("ue", "utf8", "", "Address of the phone, or its /64.", "A3"),
    Column("start_ns", "int64", "ns", "Time of the session's first packet.", "A3"),
    Column("tail_low_s", "float64", "s", "The tail is at least this long.", "F3"),
    Column(
        "tail_high_s", "float64", "s",
        "The tail is shorter than this; null if no silence shows it.", "F3",
    ),
    Column(
        "tail_source", "utf8", "",
        "given (by the user) or data (from the silences).", "F3",
    ),
    *_ends("radio_on", "_s", "s", "How long the radio was on,"),
    Column(
        "promotions_low", "int64", "promotions",
        "How often the radio woke up at most, with the shortest tail.", "F3",
    ),
    Column(
        "promotions_high", "int64", "promotions",
        "How often the radio woke up for certain, with the longest tail: the first packet of a "
        "capture counts only if something shows that the radio was off before it.", "F3",
    ),
    *_ends("energy", "_j", "J", "Energy of the radio,"),
    *_ends("ideal_radio_on", "_s", "s", "The same bytes at the estimated bandwidth and one tail,"),
    *_ends("ideal_energy", "_j", "J", "Energy of the ideal,"),
)  # fmt: skip

TIME_LOST = (
    _RUN,
    Column("uid", "uint64", "", "The flow.", "A12"),
    _SESSION,
    Column("lasted_s", "float64", "s", "Time from first to last packet (D).", "F3, E4"),
    Column(
        "ideal_s", "float64", "s",
        "Time of its downlink payload at the estimated bandwidth (D_ideal); null with `reason`.",
        "F3, E4",
    ),
    Column("longer_ratio", "float64", "ratio", "D / D_ideal - 1.", "F3, LTE13 section 6.3"),
    Column("lost_ratio", "float64", "ratio", "1 - D_ideal / D.", "F3, LTE13 section 6.3"),
    *(
        Column(f"{name}_with_tail_{end}_ratio", "float64", "ratio",
               f"The same of both times with a tail after them, at {bound}; null while the data "
               "do not show the tail.", "F3")
        for name in ("longer", "lost")
        for end, bound in (("low", "least (the longest tail)"), ("high", "most (the shortest)"))
    ),
    Column("reason", "utf8", "", "Why values are null; null if none is.", "F3"),
)  # fmt: skip

TABLES: Described = {
    "concurrency": ("session, rule and number of TCP flows active at a time", CONCURRENCY),
    "findings": ("time of a flow in which a mechanism was found", FINDINGS),
    "periodic": ("period of the requests of a phone to a service, or service without", PERIODIC),
    "radio_on": ("session: how long the radio was on, with the tail that the data show", RADIO_ON),
    "time_lost": ("large downlink flow: how much longer it took than at its bandwidth", TIME_LOST),
}

"""The cause `receive_window`: the window that the receiver advertises stops the sender."""

from __future__ import annotations

from collections.abc import Iterator

from airmile._colours import ORANGE
from airmile._words import NBSP, count, percent, rate, seconds, size
from airmile.causes import _in_flight
from airmile.causes._declaration import Case, Declaration


def evidence(case: Case) -> Iterator[str]:
    """Yield for how long the window was full, and how large it was."""
    flow = case.flow
    if flow["window_full_s" if case.downlink else "ul_window_full_s"]:
        yield _full(case)
    yield from _in_flight.evidence(case, "receive_window")
    if flow["ue_initial_window_bytes"] is not None and case.downlink:
        yield f"the phone first offered {count(flow['ue_initial_window_bytes'])}{NBSP}B"


def _full(case: Case) -> str:
    """Return for how long the window was full in the whole flow; a closed window counts as full."""
    flow = case.flow
    way = "" if case.downlink else "ul_"
    closed = " or closed" if flow[f"{way}zero_window_s"] else ""
    of = f" of the flow's {seconds(flow['duration_s'])}" if flow["duration_s"] else ""
    text = f"full{closed} for {seconds(flow[f'{way}window_full_s'])}{of}"
    first = flow["window_full_first_ratio"] if case.downlink else None
    return text if first is None else f"{text}, first at {percent(first)} of the flow"


def advice(case: Case) -> Iterator[str]:
    """Yield advice to raise a buffer, or on the slow reader if the buffer is large enough."""
    needed = _bandwidth_delay_bytes(case)
    if needed and needed <= (case.way("offered_max_bytes") or 0):
        offered = size(case.way("offered_max_bytes"))
        yield (
            f"the {case.receiver} offered up to {offered}, and {size(needed)} would be enough "
            f"({_product(case)}): its application does not read as fast as data arrive; look for "
            "work done between two reads"
        )
        return
    amount = f" to {size(needed)} or more ({_product(case)})" if needed else ""
    yield (
        f"raise the receive buffer of the {case.receiver}'s application{amount}: leave SO_RCVBUF "
        "unset so that the system tunes it, or raise net.ipv4.tcp_rmem"
    )


def _bandwidth_delay_bytes(case: Case) -> float | None:
    """Return the bytes that fill the link during one round trip; None if unknown."""
    rtt_ms = case.flow["handshake_rtt_ms"]
    if case.available_bps is None or rtt_ms is None:
        return None
    return float(case.available_bps / 8 * rtt_ms / 1000)


def _product(case: Case) -> str:
    trip = f"{case.flow['handshake_rtt_ms']:.0f}{NBSP}ms"
    return f"{rate(case.available_bps or 0)} times the round trip of {trip}"


DECLARATION = Declaration(
    colour=ORANGE,
    satisfies=frozenset({"rwnd"}),
    evidence=evidence,
    advice=advice,
    of_sender=True,
)

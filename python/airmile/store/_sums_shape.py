"""The shape of a verdict's sums in a manifest, as `docs/design/verdict-sums.md` describes it.

A dataset may be untrusted or damaged. If its sums have another shape, they are ignored and computed
again from the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from airmile import causes
from airmile.store._shapes import (
    MOST,
    UINT64,
    Shape,
    address,
    each,
    either,
    every,
    flag,
    known,
    named,
    null,
    real,
    record,
    text,
    whole,
    word,
)
from airmile.store._sums_limits import CASES, FAILED, FLOWS


def fits(sums: Mapping[str, Any]) -> bool:
    """Return whether sums have the expected shape.

    Examples
    --------
    >>> fits({"totals": 3})
    False
    """
    return shape().fits(sums)


@cache
def shape() -> Shape:
    """Return the shape of the sums."""
    time = named(_SUM, causes.every())
    return record(
        {
            "totals": either(_totals(null()), _totals(whole())),
            "failed": named(_failed(), FAILED),
            **_of_class(time),
            "small_calls": known(record({"calls": _SUM, "median_s": real(), **_of_class(time)})),
            "link_demand_ratio": known(real(0)),
        }
    )


def _of_class(time: Shape) -> dict[str, Shape]:
    """Return the shapes of the sums over one class of transfers."""
    return {
        "active_ns": _SUM,
        **every("time_ns uplink_ns", time),
        "named_ns": named(_SUM, causes.named()),
        "reasons_ns": named(_SUM),
        "sources": each(word("tcp", "modem", "both"), 3),
        "rates": record(every("downlink uplink", either(_rates(null(), 0), _rates(_SUM, MOST)))),
        "judged_flows": whole(0),
        "flows": each(_flow(time), FLOWS),
    }


_SUM = whole(0, MOST)
_COUNT = known(whole(0))
_REAL = known(real())
_PORT = known(whole(0, 65_535))
_INSTANT = known(whole())
_WORDS = text(1_000)
_WAY = word("downlink", "uplink")


def _totals(instant: Shape) -> Shape:
    """Return the shape of the totals: with the times of first and last packet, or without both."""
    kinds = record(every("flows bytes", _SUM))
    return record(
        {
            **every("flows tcp_flows ues packets ul_payload_bytes dl_payload_bytes", _SUM),
            **every("tunnelled_flows vantage_by_tunnel", _SUM),
            **every("start_ns end_ns", instant),
            **every("tcp_payload_bytes tcp_packets timeouts_seen", known(_SUM)),
            **every("ul_retransmissions dl_retransmissions", known(_SUM)),
            "faults": named(_SUM),
            "amounts": named(_SUM),
            "kinds": named(kinds, ("tcp", "quic", "udp", "icmp", "other", "no_header")),
        }
    )


def _failed() -> Shape:
    """Return the shape of the failures of one kind."""
    case = record(
        {
            "uid": whole(0, UINT64),
            "to_phone": flag(),
            **every("ue server", known(address())),
            **every("ue_port server_port", _PORT),
            "name": known(text(2_000)),
            "packets": _SUM,
            **every("start_ns end_ns", whole()),
        }
    )
    return record(
        {
            **every("count packets", _SUM),
            **every("start_ns end_ns", whole()),
            "longest": each(case, CASES),
        }
    )


def _rates(moved: Shape, most: int) -> Shape:
    """Return the shape of the sums of one direction; they are 0 without judged transfers."""
    return record(
        {
            "bytes": moved,
            **every("rated_bytes delivered_bytes busy_ns", whole(0, most)),
            "link_ns": known(_SUM),
            "available_bps": known(real(0)),
            "windows": _COUNT,
        }
    )


def _flow(time: Shape) -> Shape:
    extremes = (f"{way}_{name}" for way in ("dl", "ul") for name in _EXTREMES)
    spans = (*causes.every(), *extremes, "rto_wait_ms", "flow")
    return record(
        {
            "uid": whole(0, UINT64),
            **every("ue server", address()),
            **every("ue_port server_port", _PORT),
            "server_name": known(_WORDS),
            "ending": _WORDS,
            "quality": known(_WORDS),
            "vantage": known(word("ue", "monitor", "server")),
            "direction": _WAY,
            **every("bytes transfers round_trips", _SUM),
            "judged_s": real(0),
            **every("promotion_doubtful ue_sack server_sack", known(flag())),
            "start_ns": _INSTANT,
            **every(_COUNTED, _COUNT),
            **every(_MEASURED, _REAL),
            **{f"{way}_{name}": of for way in ("dl", "ul") for name, of in _PER_DIRECTION.items()},
            **every("time_ns uplink_ns", time),
            "named_ns": named(_SUM, causes.named()),
            "least_queue_ms": named(real(0), causes.every()),
            **every("retransmitted in_flight_bytes", named(_SUM, causes.every())),
            "reasons": named(_WORDS, causes.every()),
            "spans": named(_SPAN, spans),
        }
    )


_EXTREMES = ("rtt_max_ms", "retransmissions")

_SPAN = record(
    {
        **every("start_ns end_ns", whole()),
        **every("first_frame last_frame", _COUNT),
        "direction": _WAY,
    }
)

_COUNTED = """initial_window_bytes ue_initial_window_bytes undesired_slow_starts timeouts_seen
    ue_window_scale server_window_scale undelivered_bytes dl_offered_max_bytes
    ul_offered_max_bytes dl_most_retransmissions ul_most_retransmissions"""

_MEASURED = """duration_s handshake_rtt_ms tls_handshake_ms upstream_rtt_ms promotion_delay_ms
    window_full_s ul_window_full_s zero_window_s ul_zero_window_s window_full_first_ratio
    bandwidth_bps ul_bandwidth_bps utilisation_ratio self_inflicted_delay_ms moving_s median_bytes
    loop_ms path_rtt_ms server_wait_ms carried_s recovering_ratio"""

_PER_DIRECTION = {
    **every("first_payload_ns last_payload_ns", _INSTANT),
    **every("rate_bps rtt_min_ms rtt_p50_ms rtt_p95_ms rtt_max_ms", _REAL),
    **every("payload_bytes unique_bytes packets in_flight_max_bytes", _COUNT),
    **every("retransmissions spurious_retransmissions tail_probes", _COUNT),
    **every("syn rtt_samples window_probes empty_window_probes keep_alives", _COUNT),
    **every("upstream_losses reordered zero_windows recorded_twice super_segments", _COUNT),
}

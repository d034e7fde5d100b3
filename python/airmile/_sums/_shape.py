"""Whether sums from a manifest have the shape that `docs/design/verdict-sums.md` describes.

A dataset may come from anywhere, or be damaged. Sums of another shape are not read at all: the
tables, from which they were made, are added up instead.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]


def fits(sums: Mapping[str, Any]) -> bool:
    """Tell whether sums can be read.

    Examples
    --------
    >>> fits({"totals": 3})
    False
    """
    return _record(_SUMS)(sums)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _known(check: Check) -> Check:
    return lambda value: value is None or check(value)


def _each(check: Check) -> Check:
    return lambda value: isinstance(value, list) and all(check(each) for each in value)


def _named(check: Check) -> Check:
    return lambda value: isinstance(value, dict) and all(check(each) for each in value.values())


def _record(fields: Mapping[str, Check]) -> Check:
    def check(value: Any) -> bool:
        return isinstance(value, dict) and all(
            name in value and each(value[name]) for name, each in fields.items()
        )

    return check


def _all(names: str, check: Check) -> dict[str, Check]:
    return dict.fromkeys(names.split(), check)


_AMOUNT = _known(_number)
_WORD = _known(_text)

_SPAN = _record({**_all("start_ns end_ns first_frame last_frame", _AMOUNT), "direction": _WORD})

_BOTH_WAYS = tuple(
    _all(
        """payload_bytes packets rate_bps first_payload_ns last_payload_ns retransmissions
        spurious_retransmissions tail_probes upstream_losses zero_windows rtt_min_ms rtt_p50_ms
        rtt_p95_ms in_flight_max_bytes""",
        _AMOUNT,
    )
)

_FLOW = {
    **_all("uid judged_s bytes transfers round_trips", _number),
    **_all("ue server direction ending", _text),
    **_all("server_name quality vantage", _WORD),
    "promotion_doubtful": _known(_flag),
    **_all(
        """ue_port server_port start_ns duration_s handshake_rtt_ms tls_handshake_ms upstream_rtt_ms
        promotion_delay_ms initial_window_bytes ue_initial_window_bytes window_full_s
        ul_window_full_s zero_window_s ul_zero_window_s window_full_first_ratio bandwidth_bps
        ul_bandwidth_bps utilisation_ratio undesired_slow_starts timeouts_seen
        self_inflicted_delay_ms moving_s median_bytes loop_ms path_rtt_ms server_wait_ms carried_s
        recovering_ratio undelivered_bytes dl_offered_max_bytes ul_offered_max_bytes""",
        _AMOUNT,
    ),
    **{f"{way}_{name}": _AMOUNT for way in ("dl", "ul") for name in _BOTH_WAYS},
    "time_ns": _named(_number),
    "reasons": _named(_text),
    "spans": _named(_SPAN),
}

_RATES = _record(
    {
        **_all("rated_bytes delivered_bytes busy_ns", _number),
        **_all("bytes link_ns available_bps windows", _AMOUNT),
    }
)

_TOTALS = {
    **_all("flows tcp_flows ues packets", _number),
    **_all(
        """start_ns end_ns ul_payload_bytes dl_payload_bytes tcp_payload_bytes tcp_packets
        ul_retransmissions dl_retransmissions timeouts_seen tunnelled_flows vantage_by_tunnel""",
        _AMOUNT,
    ),
    "faults": _named(_number),
    "amounts": _named(_number),
    "kinds": _named(_record(_all("flows bytes", _AMOUNT))),
}

_SUMS = {
    "totals": _record(_TOTALS),
    "small_calls": _known(_named(_AMOUNT)),
    "time_ns": _named(_number),
    "reasons_ns": _named(_number),
    "sources": _each(_text),
    "left_out": _record(_all("transfers bytes seconds", _AMOUNT)),
    "link_demand_ratio": _AMOUNT,
    "rates": _record({"downlink": _RATES, "uplink": _RATES}),
    "judged_flows": _number,
    "flows": _each(_record(_FLOW)),
}

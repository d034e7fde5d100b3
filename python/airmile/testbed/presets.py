"""Links and hosts that experiments begin from.

The networks begin from EFF14's medians of throughput and of the unloaded round trip (section 3);
that a run reproduces them has not been measured. The other numbers are choices of ours. The eras
aim at what the papers' hosts ran.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from airmile._errors import UsageError


def _air(mbps: float, queue_bytes: int, air_ms: float, **more: Any) -> dict[str, Any]:
    """Give one direction of a constant rate."""
    return {
        "rate": {"kind": "constant", "mbps": mbps},
        "queue": {"bytes": queue_bytes},
        "air_ms": air_ms,
        **more,
    }


NETWORKS: Mapping[str, Mapping[str, Any]] = {
    "lte": {
        # EFF14, 4G: 5.8 Mbit/s in the median, 40 ms unloaded, hardly more under load.
        "downlink": _air(20, 2_000_000, 6),
        "uplink": {
            **_air(8, 300_000, 6),
            "queue": {"bytes": 300_000, "qdisc_packets": 1000},
            "grants": {
                "request_period_ms": 10,
                "answer_ms": 4,
                "delay_ttis": 4,
                "first_bytes": 100,
            },
        },
        "path_downlink": {"delay_ms": 10},
        "path_uplink": {"delay_ms": 10},
    },
    "hspa": {
        # EFF14, 3.5G: 3.5 Mbit/s in the median, 50 ms unloaded, a deep buffer.
        "downlink": _air(3.6, 1_000_000, 14),
        "uplink": {
            **_air(1.5, 200_000, 14),
            "queue": {"bytes": 200_000, "qdisc_packets": 1000},
            "grants": {"request_period_ms": 2, "answer_ms": 2, "delay_ttis": 2, "first_bytes": 300},
        },
        "path_downlink": {"delay_ms": 8},
        "path_uplink": {"delay_ms": 8},
    },
    "3g": {
        # EFF14, 3G: 151 kbit/s in the median, 256 ms unloaded.
        "downlink": _air(0.16, 60_000, 85),
        "uplink": {
            **_air(0.06, 30_000, 85),
            "queue": {"bytes": 30_000, "qdisc_packets": 100},
            "grants": {
                "request_period_ms": 10,
                "answer_ms": 10,
                "delay_ttis": 10,
                "first_bytes": 100,
            },
        },
        "path_downlink": {"delay_ms": 30},
        "path_uplink": {"delay_ms": 30},
    },
}

_MEMORY = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 65536 4194304",
    # A destination's old figures would make the second run another experiment than the first.
    "net.ipv4.tcp_no_metrics_save": 1,
}

ERAS: Mapping[str, Mapping[str, Any]] = {
    "modern": {
        "server": {
            "congestion_control": "cubic",
            "sysctls": {**_MEMORY, "net.ipv4.tcp_slow_start_after_idle": 0},
        },
        "phone": {"congestion_control": "cubic", "sysctls": dict(_MEMORY)},
    },
    "2012": {
        # LTE13: no compression of SACKs, a window of 131 kB, slow start again after idle times.
        "server": {
            "congestion_control": "cubic",
            "sysctls": {**_MEMORY, "net.ipv4.tcp_slow_start_after_idle": 1},
        },
        "phone": {
            "congestion_control": "cubic",
            "sysctls": {
                **_MEMORY,
                "net.ipv4.tcp_rmem": "4096 65536 262144",
                "net.ipv4.tcp_comp_sack_nr": 0,
            },
        },
    },
}


def find(known: Mapping[str, Mapping[str, Any]], what: str, name: object) -> Mapping[str, Any]:
    """Look a preset up.

    Raises
    ------
    UsageError
        There is none of this name.
    """
    if isinstance(name, str) and name in known:
        return known[name]
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(known)
    raise UsageError(f"{what} = {name!r} is not known", hint)

"""The presets of links and hosts that an experiment may name.

`steady` is a link of constant rate, chosen by this project. The other networks behave as those that
EFF14 measured (:mod:`airmile.testbed.experiment.networks`). The eras approximate the hosts of the
papers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from airmile._errors import UsageError
from airmile.testbed.experiment import networks

T = TypeVar("T")


def network(name: object, seed: int) -> dict[str, Any]:
    """Return the settings of the link that a network's preset gives for a seed.

    Raises
    ------
    UsageError
        No network has this name.
    """
    if name == STEADY:
        return {"seed": seed, **_STEADY_LINK}
    return find(networks.EFF14, "network", name, also=(STEADY,)).link(seed)


STEADY = "steady"
"""The network of an experiment that names none; its link is the same for every seed."""

_STEADY_LINK: Mapping[str, Any] = {
    "downlink": {
        "rate": {"kind": "constant", "mbps": 20},
        "queue": {"bytes": 2_000_000},
        "air_ms": 6,
    },
    "uplink": {
        "rate": {"kind": "constant", "mbps": 8},
        "queue": {"bytes": 300_000, "qdisc_packets": 1000},
        "air_ms": 6,
        "grants": {"request_period_ms": 10, "answer_ms": 4, "delay_ttis": 4, "first_bytes": 100},
    },
    "path_downlink": {"delay_ms": 10},
    "path_uplink": {"delay_ms": 10},
}

_MEMORY = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 65536 4194304",
    # The kernel would save metrics per destination, so that a second run would differ.
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
        # The hosts of LTE13: no compression of SACKs, a receive window of 131 kB, slow start again
        # after idle times, and timestamps in ticks of 10 ms.
        "server": {
            "congestion_control": "cubic",
            "sysctls": {
                **_MEMORY,
                "net.ipv4.tcp_slow_start_after_idle": 1,
                # These hosts had neither RACK (RFC 8985, 2021) nor tail loss probes.
                "net.ipv4.tcp_recovery": 0,
                "net.ipv4.tcp_early_retrans": 0,
            },
        },
        "phone": {
            "congestion_control": "cubic",
            "sysctls": {
                **_MEMORY,
                "net.ipv4.tcp_rmem": "4096 65536 262144",
                "net.ipv4.tcp_comp_sack_nr": 0,
            },
            "timestamp_tick_ms": 10,
        },
    },
}


def find(known: Mapping[str, T], what: str, name: object, also: Iterable[str] = ()) -> T:
    """Return the preset of this name.

    Raises
    ------
    UsageError
        No preset has this name; the hint suggests the nearest one.
    """
    if isinstance(name, str) and name in known:
        return known[name]
    names = [*also, *known]
    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean {near[0]!r}?" if near else "known: " + ", ".join(names)
    raise UsageError(f"{what} = {name!r} is not known", hint)

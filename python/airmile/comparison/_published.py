"""Differences that the papers publish; a comparison says how many trials would show them."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """A published difference of two groups.

    `absolute` is in the unit of the metric, as given by `per`; `relative` is a share of the first
    group.
    """

    metrics: tuple[str, ...]
    groups: tuple[str, str]
    absolute: float | None
    relative: float | None
    source: str


DIFFERENCES = (
    Published(
        ("rate_bps", "dl_rate_bps", "throughput_bps", "bps"), ("cubic", "bbr"), 1.1e6, None,
        "HWY18 table 1: 14.1 against 13.0 Mbps",
    ),
    Published(
        ("rate_mbps", "throughput_mbps"), ("cubic", "bbr"), 1.1, None,
        "HWY18 table 1: 14.1 against 13.0 Mbps",
    ),
    Published(
        ("first_bps", "first_mbps"), ("cubic", "bbr"), None, 0.5,
        "HWY18 section 5.2: half as much again in the first megabyte",
    ),
    Published(
        ("self_inflicted_delay_ms", "delay_ms"), ("cubic", "bbr"), None, -2 / 3,
        "HWY18 section 5.8: a third of the delay",
    ),
    Published(("bitrate_bps",), ("80", "7777"), None, 0.35, "BT19 section 5.2: 35 % more"),
    Published(("stalled_s",), ("80", "7777"), None, -0.5, "BT19 section 5.2: half the stalls"),
    Published(("switches",), ("80", "7777"), None, -0.1, "BT19 section 5.2: a tenth fewer"),
)  # fmt: skip


def difference(metric: str, a: str, b: str, mean_a: float) -> tuple[float, str] | None:
    """Return the published difference of `b` minus `a`, and where it is published.

    >>> difference("rate_mbps", "cubic", "bbr", 12.0)
    (1.1, 'HWY18 table 1: 14.1 against 13.0 Mbps')
    >>> difference("rate_mbps", "bbr", "cubic", 12.0)[0]
    -1.1
    """
    for each in DIFFERENCES:
        if metric in each.metrics and {a.lower(), b.lower()} == set(each.groups):
            forward = a.lower() == each.groups[0]
            if each.absolute is not None:
                return (each.absolute if forward else -each.absolute), each.source
            share = each.relative or 0.0
            return (share if forward else 1 / (1 + share) - 1) * mean_a, each.source
    return None

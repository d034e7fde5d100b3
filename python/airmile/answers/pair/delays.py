"""Delays between the capture points, with what the clocks leave unknown (methods G9)."""

from __future__ import annotations

from typing import Any

import numpy as np

from airmile.answers.pair.clocks import Array, Clock, Mask
from airmile.answers.pair.result import OneWay, Which
from airmile.answers.pair.steps import Times


def delays(
    first_ns: Times, second_ns: Times, forward: Mask, clocks: list[Clock]
) -> tuple[Array, Array]:
    """Return the delay of each packet in ms and its uncertainty; NaN where no clock holds."""
    found, uncertainty = np.full(first_ns.size, np.nan), np.full(first_ns.size, np.nan)
    for clock in clocks:
        first = first_ns[clock.rows]
        difference = (second_ns[clock.rows] - first - clock.base_ns) / 1e9 - clock.at(first)
        found[clock.rows] = np.where(forward[clock.rows], difference, -difference) * 1e3
        uncertainty[clock.rows] = clock.uncertainty_at(first) * 1e3
    return found, uncertainty


def one_way(
    name: str, packets: int, known: Array, uncertainty_ms: float | None, reason: str | None,
    counts: dict[str, Any], passed_first: Which | None,
) -> OneWay:  # fmt: skip
    """Sum up the delays of one clock; `reason` says why they are unknown."""
    lost, unseen, sent = None, None, int(counts["first"][name]["packets"])
    if passed_first is not None:
        other = "second" if passed_first == "first" else "first"
        lost, unseen = counts[passed_first][name]["alone"], counts[other][name]["alone"]
        sent = counts[passed_first][name]["packets"]
    if reason is not None or known.size == 0 or uncertainty_ms is None:
        reason = reason or "no packet of this direction is in both captures"
        return OneWay(packets, None, None, None, None, None, None, reason, sent, lost, unseen)
    least, median, high = (float(value) for value in np.quantile(known, [0.0, 0.5, 0.95]))
    known_ms = [value if value > uncertainty_ms else None for value in (least, median, high)]
    return OneWay(
        packets=packets,
        uncertainty_ms=uncertainty_ms,
        least_ms=known_ms[0],
        median_ms=known_ms[1],
        p95_ms=known_ms[2],
        median_above_least_ms=median - least,
        p95_above_least_ms=high - least,
        reason=_reason(known_ms),
        sent=sent,
        lost=lost,
        unseen=unseen,
    )


def _reason(known_ms: list[float | None]) -> str | None:
    unknown = [
        name
        for name, value in zip(("least", "median", "p95"), known_ms, strict=True)
        if value is None
    ]
    if not unknown:
        return None
    return f"{', '.join(unknown)}: not larger than the uncertainty of the clocks"

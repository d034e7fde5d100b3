"""SQL of the windows of a pair of captures: estimated bandwidth and what arrived (methods E5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import source
from airmile.store._remedies import PAIR

if TYPE_CHECKING:
    from airmile.store import Tables

HOW = PAIR
"""A hint: how to get a pair of captures of the same transfer."""

LACKING = "no second of uninterrupted arrivals with a bandwidth estimate"


def windows(dataset: Tables) -> str:
    """Return SQL for the windows with an estimate in which the phone received all the time.

    In other windows the throughput at the phone is less than the link could have carried.
    """
    rows = source(
        dataset, "e5", "ue", "source", "window_s", "time_ns", "throughput_bps", "bandwidth_bps",
        "error_ratio", "busy",
    )  # fmt: skip
    return f"(FROM {rows} WHERE busy AND error_ratio IS NOT NULL)"

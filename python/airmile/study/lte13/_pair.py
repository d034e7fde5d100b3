"""Windows of two captures of one transfer, as SQL: the estimate beside what arrived (E5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import PAIR, source

if TYPE_CHECKING:
    from airmile.dataset import Dataset

HOW = PAIR
"""How to get what two captures of one transfer show."""

LACKING = "no second of uninterrupted arrivals with a bandwidth estimate"


def windows(dataset: Dataset) -> str:
    """Return SQL with the windows in which the phone received all the time, with an estimate.

    Elsewhere the throughput at the phone is less than the link could have carried.
    """
    rows = source(
        dataset, "e5", "ue", "source", "window_s", "time_ns", "throughput_bps", "bandwidth_bps",
        "error_ratio", "busy",
    )  # fmt: skip
    return f"(FROM {rows} WHERE busy AND error_ratio IS NOT NULL)"

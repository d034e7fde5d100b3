"""SQL of the videos that the testbed played: clips and their segments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import Missing, has, source
from airmile.store._remedies import TRUTH

if TYPE_CHECKING:
    from airmile.store import Tables

LACKING = "no video that the testbed played"
HOW = f"{TRUTH}, as bt19_ports"

PROXIED = (80, 443)
"""The ports on which the paper found a proxy."""


def clips(dataset: Tables) -> str:
    """Return SQL for the clips that were played to their end.

    Raises
    ------
    Missing
        The dataset has no such clip.
    """
    if not has(dataset, "clips"):
        raise Missing(f"{dataset.path}: {LACKING}", HOW)
    rows = source(
        dataset, "clips", "trial", "port", "iteration", "seed", "step", "turn", "micro_fetch",
        "segments", "bitrate_bps", "got_bps", "switches", "stalls", "stalled_s", "complete",
    )  # fmt: skip
    return f"(FROM {rows} WHERE complete)"


def segments(dataset: Tables) -> str:
    """Return SQL for the segments of all clips, each with the port of the server.

    Raises
    ------
    Missing
        The dataset has no segment.
    """
    if not has(dataset, "video"):
        raise Missing(f"{dataset.path}: {LACKING}", HOW)
    video = source(
        dataset, "video", "trial", "segment", "start_ns", "end_ns", "bytes", "bitrate_bps",
        "got_bps", "buffered_before_s", "buffered_s",
    )  # fmt: skip
    whose = source(dataset, "clips", "trial", "port", "micro_fetch")
    return f"(FROM {video} JOIN {whose} USING (run, trial))"

"""The recorded runs that are kept with the project: headers at each tap, and the truth."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from airmile.testbed.record.captures import POINTS
from tests.recorded.files import write_bytes, write_rows
from tests.recorded.packets import part
from tests.taps import runs, truth
from tests.taps.runs import Recorded

KEPT = Path(__file__).parent.parent / "data" / "taps"

SNAP_BYTES = 80
"""Bytes kept of each packet: headers with every option (RFC 9293 section 3.1: 60 bytes of TCP)."""

SELECTED = (
    *("think_http1-150ms-s2", "small_calls-50ms-s2"),
    *("cwnd_same_rate-bottleneck_cubic-s2", "loop_change-window-s2", "link_up-cubic_steady-s2"),
    *("queue_20ms-down-s2", "queue_codel-cubic-s2", "tail_loss-one-s2", "window_same_rate-up-s2"),
    *("aqm-fq_codel_cubic-s2", "buffer-0.3_up-s2", "clock-fast-s2", "clumps-gaps-s2"),
    *("control-cubic_down-s2", "handover-lost_down-s2", "loop-400ms_down-s2"),
    *("no_timestamps-cubic_down-s2", "paced-near_up-s2", "plan-128k_down-s2"),
    *("policer-access_up-s2", "send_buffer-down-s2", "slow_reader-slow-s2", "upstream-line_up-s2"),
)
"""The runs that are kept, by name."""


def keep(recorded: Path, kept: Path = KEPT) -> None:
    """Write the selection again, from the folder of recorded runs."""
    for run in runs.found(recorded, held_out=False, only=""):
        if run.name not in SELECTED:
            continue
        folder = kept / run.world / run.name
        folder.mkdir(parents=True, exist_ok=True)
        rows = run.truth()
        write_rows(folder / "truth.csv.gz", map(asdict, rows), truth.COLUMNS)
        for tap in POINTS:
            ports = {row.port for row in rows if row.tap == tap}
            capture = part(run.folder / f"{tap}.pcap", ports, SNAP_BYTES)
            write_bytes(folder / f"{tap}.pcap.gz", capture)


def kept_runs(kept: Path = KEPT) -> list[Recorded]:
    """Give the runs that are kept."""
    return [
        Recorded(folder.parent.name, _kind(folder.name), folder.name, folder)
        for folder in sorted(kept.glob("*/*/"))
    ]


def _kind(name: str) -> str:
    return name.partition("-")[0].replace("_", " ")

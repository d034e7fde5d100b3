"""BT19 section 3.4: the error of throughput time for files and videos, in fair and poor radio."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from airmile.campaign.design import Arm, Campaign, Statement, Trial
from airmile.study._transfers import FILE, SEGMENTS, at_phone
from airmile.study.bt19.table1_errors import errors

if TYPE_CHECKING:
    from airmile.store import Tables

POOR_SEEDS = 1000
"""The seeds of poor radio begin here, because runs of a workload are pooled as independent."""

WORKLOADS = {
    "file": ({"name": "bulk_download", "bytes": 20_000_000}, 30, 20),
    "video": ({"name": "dash", "clip_s": 120}, 126, 60),
}
"""The workloads by name, each with its duration in seconds and the megabytes of a run."""

RADIO = {"fair": (14, 1), "poor": (5, POOR_SEEDS + 1)}
"""The radio conditions by name, each with the mean SINR in dB and the first seed."""


def _value(application: str, column: str) -> Callable[[Tables], list[dict[str, Any]]]:
    """Return the rows of a quantity of an application's flows, as seen at the phone."""

    def rows(dataset: Tables) -> list[dict[str, Any]]:
        there = at_phone(dataset)
        sql = f"""SELECT run, {column} AS value FROM {errors(there)}
            WHERE application = '{application}'"""
        found: list[dict[str, Any]] = there.sql(sql).to_pylist()
        return found

    return rows


NETWORKS = (
    "The servers, cells and competing users of the paper are not published. Here data wait for "
    "nearly all of a transfer, which leaves the burst rule little to be wrong about."
)

REASONS = {
    "bursttracker_error": NETWORKS,
    "throughput_time": "The servers, cells and competing users of the paper are not published. "
    "Here data wait for nearly all of a transfer.",
}
"""Why a quantity may differ; Active Time depends on how often competitors are scheduled."""


def in_quick(trial: Trial) -> bool:
    """Return whether the short form includes a trial: those of files, which take less time."""
    return trial.arm.name.startswith("file")


def _statement(kind: str, quantity: str, column: str, value: float) -> Statement:
    application = FILE if kind == "file" else SEGMENTS
    return Statement(
        f"{kind}s: {quantity}, median", "section 3.4.1, table 1", f"{value:g} %", value, "%",
        "median", _value(application, f"100 * {column}"), f"{kind}-*",
        because=REASONS.get(column, ""),
    )  # fmt: skip


CAMPAIGN = Campaign(
    study="bt19",
    section="section 3.4",
    title="how exact is throughput time, estimated at the phone?",
    arms=[
        Arm(
            f"{workload}-{radio}",
            "bt19_accuracy",
            {"workload": options, "link.downlink.rate.sinr.mean_db": mean_db, "longest_s": 240},
            expected_s,
            megabytes,
            first_seed,
        )
        for radio, (mean_db, first_seed) in RADIO.items()
        for workload, (options, expected_s, megabytes) in WORKLOADS.items()
    ],
    whole=50,
    quick=7,
    exhibits=["table1", "fig3", "fig4", "fig6"],
    statements=[
        _statement("file", "error of the burst rule", "bursttracker_error", 7.2),
        _statement("video", "error of the burst rule", "bursttracker_error", 6.9),
        _statement("file", "error of Active Time", "active_time_error", 60.2),
        _statement("video", "error of Active Time", "active_time_error", 59.9),
        _statement("file", "throughput time, of application time", "throughput_time", 94.1),
        _statement("video", "throughput time, of application time", "throughput_time", 73.4),
    ],
    notes=[
        "100 runs of each workload, half of them in fair and half in poor radio, interleaved. The "
        "number of runs in each is not published.",
        "The competitors are drawn, with the same seeds for file and video.",
    ],
    in_quick=in_quick,
)

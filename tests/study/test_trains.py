"""Which train of duplicate ACKs figures 15 and 16 of LTE13 show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from airmile.study import Exhibit
from airmile.study.lte13 import fig15, fig16
from tests.support.made import MS, Rows, at, campaign, flow


def run(rss_ratio: float, states: list[int]) -> dict[str, Rows]:
    """Return a train of 100 ms, and the states of the sender's kernel at each 20 ms of it."""
    train = {
        "uid": 1, "direction": "downlink", "start_ns": at(0), "end_ns": at(100),
        "in_flight_bytes": 100_000, "duplicate_acks": 50, "rss_ratio": rss_ratio,
        "undesired_slow_start": rss_ratio > 1.5,
    }  # fmt: skip
    kernel: list[dict[str, Any]] = [
        {"time_ns": at(0) + 20 * MS * place, "place": "server", "ca_state": state}
        for place, state in enumerate(states)
    ]
    return {"flows": [flow(1, upstream_rtt_ms=25.0)], "loss_episodes": [train], "truth_tcp": kernel}


def shown(exhibit: Exhibit, runs: dict[str, dict[str, Rows]], to: Path) -> list[str]:
    """Return the run whose train the figure shows."""
    assert exhibit.flows is not None
    return [each["run"] for each in exhibit.flows(campaign(to, **runs))]


def test_a_sender_with_a_timeout_is_no_example_without_a_slow_start(tmp_path: Path) -> None:
    runs = {"missed": run(1.1, [3, 4, 0]), "steady": run(0.8, [3, 3, 0]), "slow": run(3.0, [4])}
    assert shown(fig15, runs, tmp_path / "15") == ["steady"]
    assert shown(fig16, runs, tmp_path / "16") == ["slow"]


def test_without_the_kernel_r_ss_alone_chooses(tmp_path: Path) -> None:
    runs = {"near": run(1.1, []), "far": run(0.5, [])}
    for each in runs.values():
        del each["truth_tcp"]
    assert shown(fig15, runs, tmp_path / "15") == ["near"]

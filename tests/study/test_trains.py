"""Which train of duplicate ACKs figures 15 and 16 of LTE13 show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Exhibit
from airmile.study.lte13 import fig15, fig16
from tests.support.made import MS, Rows, at, campaign, flow


def run(rss_ratio: float, states: list[int], **socket: Any) -> dict[str, Rows]:
    """Return a train of 100 ms, and the states of a sender's socket at each 20 ms of it.

    The socket is that of the train's flow, except for what `socket` says.
    """
    train = {
        "uid": 1, "direction": "downlink", "start_ns": at(0), "end_ns": at(100),
        "in_flight_bytes": 100_000, "duplicate_acks": 50, "rss_ratio": rss_ratio,
        "undesired_slow_start": rss_ratio > 1.5, "rss_start_ns": at(100), "rss_end_ns": at(300),
    }  # fmt: skip
    own = {"place": "server", "local_port": 443, "peer_port": 40001, **socket}
    kernel: list[dict[str, Any]] = [
        {"time_ns": at(0) + 20 * MS * place, "ca_state": state, **own}
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


@pytest.mark.parametrize(
    "other", [{"peer_port": 40002}, {"local_port": 80}, {"place": "phone"}], ids=str
)
def test_a_timeout_of_another_socket_is_none_of_the_train(
    tmp_path: Path, other: dict[str, Any]
) -> None:
    near = run(1.1, [3, 4, 0], **other)
    near["flows"].append(flow(2))
    assert shown(fig15, {"near": near, "far": run(0.5, [3, 3])}, tmp_path / "15") == ["near"]


def test_a_timeout_counts_where_the_sender_is_not_at_the_server(tmp_path: Path) -> None:
    runs = {"near": run(1.1, [4], place="proxy"), "far": run(0.5, [3])}
    assert shown(fig15, runs, tmp_path / "15") == ["far"]


def test_a_timeout_counts_within_the_spans_of_its_run(tmp_path: Path) -> None:
    runs = {"near": run(1.1, [3] * 19 + [4]), "far": run(0.5, [3])}
    assert shown(fig15, runs, tmp_path / "before") == ["near"]
    (train,) = runs["near"]["loss_episodes"]
    train["rss_end_ns"] = at(400)
    assert shown(fig15, runs, tmp_path / "after") == ["far"]

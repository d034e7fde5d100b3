"""Figures 1 and 4 of EFF14, from runs with invented flows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import Missing, eff14
from airmile.study.eff14 import _runs as eff14_runs
from tests.support.made import at, campaign, dataset, flow

KIB_320 = 320 * 1024


def download(uid: int, begin_ms: float, end_ms: float, size: int = KIB_320) -> dict[str, Any]:
    """Return a download from its SYN on; the first payload comes after 50 ms."""
    return flow(
        uid, ue_port=uid, server_port=80, start_ns=at(begin_ms), end_ns=at(end_ms),
        dl_unique_bytes=size, dl_first_payload_ns=at(begin_ms + 50), dl_last_payload_ns=at(end_ms),
    )  # fmt: skip


def sender(uid: int, cc: str) -> dict[str, Any]:
    return {
        "time_ns": at(0), "place": "server", "local_port": 80, "peer_port": uid, "cc": cc
    }  # fmt: skip


def runs(path: Path) -> am.Dataset:
    """Return three runs: a short flow alone, and twice one beside a long flow."""
    long = 50_000_000
    alone = {"flows": [download(1, 0, 900)], "truth_tcp": [sender(1, "cubic")]}
    beside = {
        f"eff14_c-lte-cubic-reno-{seed}": {
            "flows": [download(1, 1000, 1000 + ms), download(2, 0, 9000, long)],
            "truth_tcp": [sender(1, "cubic"), sender(2, "reno")],
        }
        for seed, ms in ((1, 1000), (2, 3000))
    }
    return campaign(path, **{"eff14_b-lte-cubic-1": alone}, **beside)


def test_a_completion_time_is_a_mean_over_runs_with_the_flows_beside(tmp_path: Path) -> None:
    rows = eff14.fig4.table(runs(tmp_path / "runs")).to_pylist()
    alone, beside = rows
    assert (alone["background_flows"], alone["mean_s"], alone["low_s"]) == (0, 0.9, None)
    kinds = ("network", "background_flows", "control", "background_control", "runs")
    assert [beside[name] for name in kinds] == ["lte", 1, "cubic", "reno", 2]
    assert beside["mean_s"] == pytest.approx(2.0)
    # Student's t with one degree of freedom: 12.706 times the standard error, sqrt(2) / sqrt(2).
    assert beside["high_s"] == pytest.approx(2 + 12.706, abs=0.001)


def test_a_flow_that_ends_before_the_short_one_is_not_beside_it(tmp_path: Path) -> None:
    flows = [download(1, 1000, 2000), download(2, 0, 1500, 9_000_000)]
    (row,) = eff14.fig4.table(dataset(tmp_path / "d", flows=flows)).to_pylist()
    assert (row["background_flows"], row["control"]) == (0, "unknown")


def test_the_first_run_of_each_experiment_is_shown_from_its_first_syn(tmp_path: Path) -> None:
    rows = eff14.fig1.table(runs(tmp_path / "runs")).to_pylist()
    found = [(row["experiment"], row["short"], row["start_s"], row["end_s"]) for row in rows]
    assert found == [
        ("eff14_b", True, 0.0, 0.9), ("eff14_c", False, 0.0, 9.0), ("eff14_c", True, 1.0, 2.0)
    ]  # fmt: skip


def test_a_capture_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="no run of the paper's experiments") as lacking:
        eff14.fig1.table(dataset(tmp_path / "d", flows=[download(1, 0, 900)]))
    assert "airmile testbed run eff14_a" in (lacking.value.hint or "")


def test_runs_of_a_campaign_are_distinguished_by_network_and_experiment(tmp_path: Path) -> None:
    short = {"flows": [download(1, 0, 900)], "truth_tcp": [sender(1, "cubic")]}
    names = ("3.5g-B-cubic-1", "3.5g-B-cubic-2", "3.5g-C-cubic-cubic-1", "4g-B-cubic-1")
    found = campaign(tmp_path / "runs", **dict.fromkeys(names, short))
    shown = eff14.fig1.table(found).to_pylist()
    assert [(row["experiment"], row["run"]) for row in shown] == [
        ("3.5g-B", names[0]), ("3.5g-C", names[2]), ("4g-B", names[3])
    ]  # fmt: skip
    networks = {eff14_runs.NETWORKS[row["network"]] for row in eff14.fig4.table(found).to_pylist()}
    assert networks == {"3.5G", "4G"}


@pytest.mark.parametrize("name", ["fig1", "fig4"])
@pytest.mark.parametrize("narrow", [False, True])
def test_pictures_of_runs(name: str, narrow: bool, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = eff14.EXHIBITS[name].table(runs(tmp_path / "runs"))
    figure = eff14.EXHIBITS[name].draw(table, narrow=narrow)
    assert figure is not None
    figure.canvas.draw()


@pytest.mark.parametrize("name", ["fig1", "fig4"])
def test_published_numbers_are_no_runs(name: str) -> None:
    with pytest.raises(Missing, match="do not show single flows"):
        eff14.EXHIBITS[name].table("eff14-4g")

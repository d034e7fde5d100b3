"""Figures of samples: what they say where the data lack them, and how to get them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from airmile.study import Missing, lte13, up16
from tests.support.made import Rows, dataset, flow

HERE = flow(1, vantage="monitor")


def rtt_samples(number: int, direction: str) -> Rows:
    """Return round trips of 20 ms behind 10 KB in flight."""
    sample = {"uid": 1, "direction": direction, "rtt_ms": 20.0, "in_flight_bytes": 10_000}
    return [{**sample, "source": "whole"}] * number


@pytest.mark.parametrize("name", ["fig10", "fig13"])
def test_without_samples_they_are_asked_for(name: str, tmp_path: Path) -> None:
    d = dataset(tmp_path / "d", flows=[HERE], rtt_samples=[], in_flight_samples=[])
    assert "--samples" in hint(lte13.EXHIBITS[name], d)


@pytest.mark.parametrize("name", ["fig10", "fig13"])
def test_what_was_done_already_is_not_asked_for(name: str, tmp_path: Path) -> None:
    in_flight = [{"uid": 1, "direction": "uplink", "in_flight_bytes": 1000}]
    tables = {"rtt_samples": rtt_samples(30, "uplink"), "in_flight_samples": in_flight}
    d = dataset(tmp_path / "d", flows=[HERE], **tables)
    said = hint(lte13.EXHIBITS[name], d)
    assert "--samples" not in said
    assert "capture a download" in said


@pytest.mark.parametrize("exhibit", [up16.fig4a, up16.fig4b])
def test_an_analysis_with_samples_asks_for_another_capture(exhibit: Any, tmp_path: Path) -> None:
    tables = {"rtt_samples": rtt_samples(1, "downlink"), "slots": []}
    d = dataset(tmp_path / "d", flows=[flow(1, vantage="ue")], **tables)
    assert hint(exhibit, d) == "capture uploads on the phone"


def test_a_bin_of_few_samples_is_no_figure(tmp_path: Path) -> None:
    d = dataset(tmp_path / "few", flows=[HERE], rtt_samples=rtt_samples(19, "downlink"))
    with pytest.raises(Missing, match="fewer than 20"):
        lte13.fig10.table(d)
    d = dataset(tmp_path / "many", flows=[HERE], rtt_samples=rtt_samples(20, "downlink"))
    assert lte13.fig10.table(d).num_rows == 1


def hint(exhibit: Any, data: Any) -> str:
    """Return what an exhibit says how to get the data that it lacks."""
    with pytest.raises(Missing) as lacking:
        exhibit.table(data)
    return lacking.value.hint or ""

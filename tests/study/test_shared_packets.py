"""The exhibits of a page read the packets of their flows in one pass, with equal results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.answers import _packets
from airmile.store._needs import Missing
from airmile.study import lte13
from airmile.study._several import results
from airmile.study.lte13 import fig18_tick
from tests.support.passes import counted

RECORDED = Path(__file__).parents[1] / "data" / "emu" / "c_rwnd" / "monitor.pcap.gz"
NAMES = ("fig15", "fig16", "fig18", "fig23")


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> am.Dataset:
    return am.analyze(RECORDED, out=tmp_path_factory.mktemp("shared") / "x.airmile", samples=True)


@pytest.fixture
def passes(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """Return the flows of each pass over the capture."""
    return counted(monkeypatch)


def alone(dataset: am.Dataset) -> dict[str, Any]:
    found = {}
    for name in NAMES:
        try:
            found[name] = lte13.EXHIBITS[name].table(dataset)
        except Missing as lacking:
            found[name] = lacking.message
    return found


def page(dataset: am.Dataset) -> dict[str, Any]:
    exhibits = [lte13.EXHIBITS[name] for name in NAMES]
    return {
        result.exhibit.name: result.tables["x"] if result.tables else result.missing["x"].message
        for result in results(exhibits, {"x": dataset})
    }


def test_a_page_reads_the_capture_once_and_shows_what_each_exhibit_shows_alone(
    dataset: am.Dataset, passes: list[list[int]]
) -> None:
    expected = alone(dataset)
    assert len(passes) >= 2
    passes.clear()
    assert page(dataset) == expected
    assert len(passes) == 1


def test_flows_that_do_not_fit_together_are_read_by_each_exhibit(
    dataset: am.Dataset, passes: list[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = alone(dataset)
    passes.clear()
    monkeypatch.setattr(_packets, "PACKETS_AT_ONCE", 1)
    assert page(dataset) == expected
    assert len(passes) >= 2


def test_a_flow_that_only_another_exhibit_needs_is_no_obstacle(
    dataset: am.Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    from airmile.study import _shared

    (flow, *_) = fig18_tick._longest(dataset)
    shared = _shared.Shared(dataset, [lambda _: [{"run": "", "uid": 7}]])
    with shared.in_use():
        found = dict(_shared.packets(dataset, dataset, flow["run"], [flow["uid"]]))
    assert found[flow["uid"]].equals(dataset.packets(flow["uid"]))

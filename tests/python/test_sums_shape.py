"""Sums from a damaged or foreign manifest are not read: the tables are added up instead."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import _sums

Sums = dict[str, Any]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> airmile.Dataset:
    with resources.as_file(resources.files("airmile") / "demo" / "link.pcap.gz") as capture:
        return airmile.analyze(capture, out=tmp_path_factory.mktemp("shape") / "d.airmile")


DAMAGE: list[Callable[[Sums], object]] = [
    lambda sums: sums.clear(),
    lambda sums: sums.update(totals=3),
    lambda sums: sums["totals"].pop("flows"),
    lambda sums: sums["totals"].update(packets="many"),
    lambda sums: sums["time_ns"].update(lte_downlink="long"),
    lambda sums: sums["rates"].pop("uplink"),
    lambda sums: sums["rates"]["downlink"].update(busy_ns=None),
    lambda sums: sums["left_out"].update(seconds=float("inf")),
    lambda sums: sums.update(flows=[{"uid": 1}]),
    lambda sums: sums["flows"][0].update(server=7),
    lambda sums: sums["flows"][0].update(duration_s="long"),
    lambda sums: sums["flows"][0]["spans"]["flow"].update(start_ns=True),
    lambda sums: sums["flows"][0]["reasons"].update(idle=[]),
    lambda sums: sums.update(judged_flows=float("nan")),
]


@pytest.mark.parametrize("damage", range(len(DAMAGE)))
def test_sums_of_another_shape_are_left(dataset: airmile.Dataset, damage: int) -> None:
    manifest = copy.deepcopy(dict(dataset.manifest))
    assert _sums.in_manifest(manifest) is not None
    DAMAGE[damage](manifest["verdict"]["sums"])
    assert _sums.in_manifest(manifest) is None


def test_the_verdict_is_then_that_of_the_tables(dataset: airmile.Dataset, tmp_path: Path) -> None:
    manifest = json.loads((dataset.path / "manifest.json").read_text())
    manifest["verdict"]["sums"]["flows"][0]["bytes"] = "many"
    damaged = tmp_path / "d.airmile"
    damaged.mkdir()
    for each in dataset.path.iterdir():
        if each.name != "manifest.json":
            (damaged / each.name).symlink_to(each)
    (damaged / "manifest.json").write_text(json.dumps(manifest))
    assert airmile.Dataset(damaged).verdict.to_dict() == dataset.verdict.to_dict()

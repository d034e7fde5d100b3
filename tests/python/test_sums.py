"""What the engine adds up in the pass and what SQL adds up from the tables are the same."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import _sums
from airmile._sums import _flows

DATA = Path(__file__).parents[1] / "data"
SETS = sorted(
    [
        *DATA.glob("emu/*/monitor.pcap.gz"),
        *DATA.glob("everyday/**/*.pcap.gz"),
        *DATA.glob("physics/**/*.pcap.gz"),
    ]
)
CLASSES = {"transfers", "small_calls"}


def names(path: Path) -> str:
    return "-".join(path.parts[-3:]).removesuffix(".pcap.gz")


def analysed(capture: Path, folder: Path, **options: Any) -> airmile.Dataset:
    return airmile.analyze(capture, out=folder / "set.airmile", overwrite=True, **options)


def assert_same(dataset: airmile.Dataset) -> None:
    """Key by key, every number to its last digit."""
    stored = _sums.in_manifest(dataset.manifest)
    assert stored is not None
    assert stored == _sums.by_sql(dataset)


@pytest.mark.parametrize("capture", SETS, ids=names)
def test_they_are_the_same_of_a_recorded_run(capture: Path, tmp_path: Path) -> None:
    assert_same(analysed(capture, tmp_path))


@pytest.mark.parametrize("name", ["link", "window"])
def test_they_are_the_same_of_a_demo(name: str, tmp_path: Path) -> None:
    with resources.as_file(resources.files("airmile") / "demo" / f"{name}.pcap.gz") as capture:
        assert_same(analysed(capture, tmp_path))


@pytest.mark.parametrize(
    "options", [{"vantage": "server"}, {"profile": "lte13"}, {"samples": True}]
)
def test_they_are_the_same_whatever_is_asked_for(options: dict[str, Any], tmp_path: Path) -> None:
    assert_same(analysed(DATA / "emu" / "a_link_cubic" / "monitor.pcap.gz", tmp_path, **options))


def test_they_are_the_same_with_a_modem_log(tmp_path: Path) -> None:
    folder = DATA / "emu" / "a_link_cubic"
    dataset = analysed(folder / "ue.pcap.gz", tmp_path, modem=folder / "modem_dl.csv.gz")
    assert_same(dataset)
    assert dataset.verdict.link_demand_ratio is not None


def test_no_number_of_threads_changes_them(tmp_path: Path) -> None:
    capture = DATA / "emu" / "t20_parallel" / "monitor.pcap.gz"
    parts = [analysed(capture, tmp_path, threads=n).manifest["verdict"] for n in (1, 2, 7)]
    assert parts[0] == parts[1] == parts[2]


def test_both_classes_of_transfers_are_held(tmp_path: Path) -> None:
    """Or the tests above would show nothing of small calls."""
    judged = set()
    for capture in SETS:
        judged.add(analysed(capture, tmp_path).verdict.judged)
        if judged == CLASSES:
            return
    assert judged == CLASSES


def test_a_condition_is_added_up_by_sql(tmp_path: Path) -> None:
    dataset = analysed(SETS[0], tmp_path)
    assert dict(dataset.where("false")._sums["time_ns"]) == {}
    assert dataset.where("true")._sums == dataset._sums


def test_sums_of_another_shape_are_added_up_by_sql(tmp_path: Path) -> None:
    dataset = analysed(SETS[0], tmp_path)
    sums = dataset._sums
    for verdict in (None, 3, {"schema": 2, "sums": {}}, {"schema": 1, "sums": None}):
        dataset = airmile.open(dataset.path)
        dataset.manifest["verdict"] = verdict
        assert dataset._sums == sums


def test_more_flows_than_the_manifest_holds_are_asked_of_the_tables(tmp_path: Path) -> None:
    dataset = analysed(SETS[0], tmp_path)
    every = list(_sums.flows(dataset, None))
    dataset._sums = {**dataset._sums, "judged_flows": len(every) + 1, "flows": []}
    assert _sums.flows(dataset, None) == every


def test_the_engine_tells_the_columns_that_sql_tells(tmp_path: Path) -> None:
    (flow, *_) = analysed(SETS[0], tmp_path)._sums["flows"]
    assert set(_flows.COLUMNS) <= set(flow)

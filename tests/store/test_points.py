"""A run seen from another of its captures: its own tables, and those shared by all points."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile import Dataset, InputError, UsageError
from tests.support import made

TTI = {"time_ns": made.at(5), "tti": 5, "direction": "downlink"}


def run(path: Path, point: str, rtt_ms: float, truth: bool, **ports: Any) -> None:
    """Write the analysis of a capture, with or without the truth beside it."""
    beside: dict[str, Any] = {"truth_ttis": [TTI]} if truth else {}
    made.write(path, flows=[made.flow(uid=1, handshake_rtt_ms=rtt_ms, **ports)], **beside)
    file = path / "manifest.json"
    manifest = json.loads(file.read_text())
    given = {"name": f"/runs/{point}.pcap", "status": "ok", "problems": []}
    file.write_text(json.dumps({**manifest, "inputs": [{**manifest["inputs"][0], **given}]}))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return two runs with tables of the monitor's capture, and the phone's capture in each."""
    for number, name in enumerate(("a", "b")):
        run(tmp_path / f"{name}.airmile", "monitor", 20 + number, truth=True)
        run(tmp_path / f"{name}.airmile" / "ue.airmile", "ue", 50 + number, truth=False)
    planned = {"schema": 1, "runs": ["a.airmile", "b.airmile"], "planned": []}
    (tmp_path / "manifest.json").write_text(json.dumps(planned))
    return tmp_path


def test_a_run_seen_from_the_phone_has_its_flows_and_the_truth(runs: Path) -> None:
    there = airmile.open(runs / "a.airmile").at("ue")
    assert there.flows["handshake_rtt_ms"].to_pylist() == [50]
    assert there.truth_ttis["tti"].to_pylist() == [5]
    assert there.path == (runs / "a.airmile" / "ue.airmile").resolve()


def test_runs_seen_from_the_phone_keep_their_names(runs: Path) -> None:
    there = airmile.open(runs).at("ue")
    query = "SELECT run, handshake_rtt_ms AS ms FROM flows ORDER BY run"
    assert there.sql(query).to_pylist() == [{"run": "a", "ms": 50}, {"run": "b", "ms": 51}]
    assert there.truth_ttis["run"].to_pylist() == ["a", "b"]
    assert there.where("run = 'b'").flows["handshake_rtt_ms"].to_pylist() == [51]


def test_chosen_runs_alone_are_read_at_every_point(runs: Path) -> None:
    chosen = Dataset(runs, runs=["b"])
    assert chosen.rows("flows") == 1
    assert chosen.flows["run"].to_pylist() == ["b"]
    assert chosen.at("ue").where("uid = 1").flows["handshake_rtt_ms"].to_pylist() == [51]


def test_chosen_runs_have_to_be_there(runs: Path) -> None:
    with pytest.raises(InputError, match="no run 'c' in it"):
        Dataset(runs, runs=["a", "c"])
    with pytest.raises(InputError, match="runs is not a list"):
        Dataset(runs / "a.airmile", runs=["a"])


def test_a_choice_without_runs_is_refused(runs: Path) -> None:
    with pytest.raises(UsageError, match="no run was chosen") as raised:
        Dataset(runs, runs=[])
    assert "None for all" in (raised.value.hint or "")


def test_the_point_of_the_runs_themselves_is_their_own_analysis(runs: Path) -> None:
    here = airmile.open(runs).at("monitor")
    assert here.flows["handshake_rtt_ms"].to_pylist() == [20, 21]


def test_a_point_that_was_not_analysed_or_is_none_is_refused(runs: Path) -> None:
    with pytest.raises(UsageError, match="the capture at server was not analysed"):
        airmile.open(runs).at("server")
    with pytest.raises(UsageError, match="no capture point is called 'moon'"):
        airmile.open(runs).at("moon")


def test_a_link_in_the_place_of_an_analysis_is_refused(runs: Path) -> None:
    (runs / "a.airmile" / "server.airmile").symlink_to(runs / "a.airmile" / "ue.airmile")
    with pytest.raises(InputError, match="symbolic link"):
        airmile.open(runs / "a.airmile").at("server")

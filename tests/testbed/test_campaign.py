"""Several runs as one dataset that can be gone on with; the runs themselves are made up."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

import airmile
from airmile import InputError, UsageError
from airmile.testbed import campaign, scores
from airmile.testbed.experiment import Experiment, parse
from airmile.testbed.scoring import Compared, Pair

FACTS = {"workload_ended": "complete", "trustworthy": True, "link": {"late_us": {"p99": 230}}}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let runs leave one flow each, and give the names of those that were run."""
    names: list[str] = []

    def run(experiment: Experiment, out: Path, tell: Callable[[str], None]) -> dict[str, Any]:
        if experiment.name == "broken":
            raise KeyboardInterrupt
        tell("running")
        names.append(experiment.name)
        (out / "flows").mkdir(parents=True)
        parquet.write_table(pa.table({"uid": [len(names)]}), out / "flows" / "part-0.parquet")
        (out / "manifest.json").write_text(json.dumps({"schema": 1, "testbed": FACTS}))
        return FACTS

    monkeypatch.setattr(campaign, "run", run)
    return names


def experiments(*names: str) -> list[Experiment]:
    return [parse(name, {"workload": {"name": "bulk_download"}}) for name in names]


def test_a_campaign_is_a_dataset_of_its_runs(tmp_path: Path, ran: list[str]) -> None:
    lines = list(campaign.run_all(experiments("a", "b"), tmp_path / "runs"))
    assert lines == [
        "1/2  a  complete, late 0.23 ms (p99)",
        "2/2  b  complete, late 0.23 ms (p99)",
    ]
    dataset = airmile.open(tmp_path / "runs")
    assert dataset.sql("SELECT run, uid FROM flows ORDER BY run").to_pylist() == [
        {"run": "a", "uid": 1},
        {"run": "b", "uid": 2},
    ]
    assert dataset.flows["run"].to_pylist() == ["a", "b"]


def test_resume_runs_what_is_missing(tmp_path: Path, ran: list[str]) -> None:
    out = tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        list(campaign.run_all(experiments("a", "broken", "c"), out))
    assert ran == ["a"]
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["planned"] = [e for e in manifest["planned"] if e["name"] != "broken"]
    (out / "manifest.json").write_text(json.dumps(manifest))
    assert list(campaign.resume(out)) == [
        "1 of 2 are there already",
        "1/1  c  complete, late 0.23 ms (p99)",
    ]
    assert ran == ["a", "c"]


def test_other_settings_under_the_same_name_are_refused(tmp_path: Path, ran: list[str]) -> None:
    list(campaign.run_all(experiments("a"), tmp_path))
    other = parse("a", {"workload": {"name": "bulk_download"}, "longest_s": 5})
    with pytest.raises(UsageError, match="another experiment called a"):
        list(campaign.run_all([other], tmp_path))


def test_the_time_left_is_told(tmp_path: Path, ran: list[str]) -> None:
    told: list[str] = []
    list(campaign.run_all(experiments("a", "b"), tmp_path, told.append))
    assert told[0] == "1/2  a  running  at most 120 s left"
    assert told[1].startswith("2/2  b  running  about 0 s left")


def test_where_nothing_ran_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no campaign"):
        list(campaign.resume(tmp_path))
    with pytest.raises(InputError, match="no run"):
        list(scores.of(tmp_path))


@pytest.mark.parametrize(
    ("compared", "text"),
    [
        (Compared((Pair(11, 10), Pair(None, 5)), "ratio"), "1 of 2 told, mean error 10.0%"),
        (Compared((Pair(250.0, 251.5),), "ms"), "1 cases, mean error 1.5 ms, worst 1.5 ms"),
        (Compared((Pair(3, 3), Pair(4, 6)), "packets"), "7 packets said, 9 true; 1 cases right"),
        (Compared((Pair("none", "none"), Pair("none", "reset"))), "2 cases, 1 right"),
        (Compared((Pair(None, 5),), "ms"), "0 of 1 told"),
    ],
)
def test_how_well_a_quantity_is_told(compared: Compared, text: str) -> None:
    assert text in str(compared)

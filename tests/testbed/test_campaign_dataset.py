"""A folder of runs as one dataset: a condition chooses rows of their own run only."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import airmile
from airmile import InputError, UsageError
from airmile.store._captures import _capture
from tests.support.handmade import MANIFEST, typed

TABLES: dict[str, list[dict[str, Any]]] = {
    "flows": [{"uid": 1, "session_id": 1, "port": 80}, {"uid": 2, "session_id": 1, "port": 443}],
    "slices": [{"uid": 1, "what": "x"}, {"uid": 2, "what": "y"}, {"uid": None, "what": "z"}],
    "sessions": [{"session_id": 1}, {"session_id": 2}],
    "truth_ttis": [{"time_ns": 5}],
}


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Give two runs with the same tables."""
    names = ["a.airmile", "b.airmile"]
    for name in names:
        for table, rows in TABLES.items():
            (tmp_path / name / table).mkdir(parents=True)
            parquet.write_table(
                typed(table, {key: [row[key] for row in rows] for key in rows[0]}),
                tmp_path / name / table / "part-0.parquet",
            )
        manifest = {**MANIFEST, "testbed": {}}
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": names, "planned": []}))
    return tmp_path


def test_one_run_of_a_campaign_is_chosen_with_its_truth(runs: Path) -> None:
    one = airmile.open(runs).where("run = 'a'")
    assert {name: one.table(name).num_rows for name in TABLES} == {
        "flows": 2,
        "slices": 2,
        "sessions": 1,
        "truth_ttis": 1,
    }
    assert one.truth_ttis["run"].to_pylist() == ["a"]


def test_a_number_of_a_flow_is_of_its_run_alone(runs: Path) -> None:
    chosen = airmile.open(runs).where("(run = 'a' AND port = 80) OR (run = 'b' AND port = 443)")
    assert chosen.sql("SELECT * FROM slices ORDER BY run").to_pylist() == [
        {"run": "a", "uid": 1, "what": "x"},
        {"run": "b", "uid": 2, "what": "y"},
    ]
    assert sorted(chosen.truth_ttis["run"].to_pylist()) == ["a", "b"]


def test_a_condition_on_no_column_is_still_refused(runs: Path) -> None:
    with pytest.raises(UsageError, match="--where"):
        airmile.open(runs).where("runn = 'a'")
    with pytest.raises(UsageError, match="--where"):
        airmile.open(runs / "a.airmile").where("run = 'a'")


def test_a_run_that_was_moved_finds_its_captures(runs: Path) -> None:
    source = {"name": "runs/a.airmile/monitor.pcap", "size_bytes": 4}
    (runs / "a.airmile" / "monitor.pcap").write_bytes(b"pcap")
    shutil.move(runs / "a.airmile", runs / "elsewhere.airmile")
    moved = airmile.open(runs / "elsewhere.airmile")
    assert _capture(moved, source) == runs / "elsewhere.airmile" / "monitor.pcap"
    with pytest.raises(InputError, match="5 when"):
        _capture(moved, {**source, "size_bytes": 5})

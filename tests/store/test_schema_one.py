"""Datasets of schema 1: they lack columns, but can be opened."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyarrow import parquet

from airmile._errors import InputError
from airmile.dataset import Dataset
from airmile.store._manifest import SCHEMA
from tests.support.handmade import flow, slice_, transfer, write

NEW = {
    "flows": ("server_name", "tls_handshake_ms"),
    "transfers": (
        *("request_end_ns", "first_byte_ms", "server_wait_ms", "loop_ms", "round_trips"),
        "path_rtt_ms",
    ),
    "slices": ("first_frame", "last_frame"),
}
"""Columns of schema 2."""


@pytest.fixture
def old(tmp_path: Path) -> Path:
    tables = {
        "flows": [flow(1, upstream_rtt_ms=20.0)],
        "transfers": [transfer(1, 1, 0, 4), transfer(1, 2, 4, 4.1, control=True)],
        "slices": [slice_(1, 1, 0, 4, "sender_app"), slice_(1, 2, 4, 4.1, "sender_app")],
    }
    path = write(tmp_path / "old.airmile", tables, {"schema": 1})
    for name, columns in NEW.items():
        part = path / name / "part-0.parquet"
        parquet.write_table(parquet.read_table(part).drop_columns(list(columns)), part)
    return path


def test_its_verdict_is_shown(old: Path) -> None:
    verdict = Dataset(old).verdict
    assert verdict.shares == {"sender_app": 1.0}
    assert "203.0.113.9:443" in str(verdict)
    (shown,) = verdict.to_dict()["flows"]
    assert shown["name"] is None
    assert shown["evidence"][0]["from_s"] == 0.0
    assert shown["evidence"][0]["first_frame"] is None
    assert shown["evidence"][0]["display_filter"] is None


def test_its_columns_are_those_that_it_has(old: Path) -> None:
    dataset = Dataset(old)
    assert not {*NEW["transfers"]} & set(dataset.transfers.column_names)
    assert dataset.sql("SELECT count(*) AS n FROM slices").to_pydict() == {"n": [2]}


def test_a_newer_schema_is_refused(old: Path) -> None:
    manifest = json.loads((old / "manifest.json").read_text())
    (old / "manifest.json").write_text(json.dumps({**manifest, "schema": SCHEMA + 1}))
    with pytest.raises(InputError, match="this airmile reads up to 2"):
        Dataset(old)

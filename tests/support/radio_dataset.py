"""Datasets of a modem log that are made by hand, in the form in which the engine writes them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

BEGIN = 1_700_000_000 * 10**9
MS = 10**6

Row = Mapping[str, Any]

TYPES: dict[str, dict[str, pa.DataType]] = {
    "ttis": {
        **dict.fromkeys(
            ("time_ns", "tti", "user", "cell", "carrier", "block", "prbs", "prb_total"), pa.int64()
        ),
        **dict.fromkeys(("tbs_bytes", "mcs", "layers", "harq", "padding_bytes"), pa.int64()),
        **dict.fromkeys(
            ("direction", "rnti", "prb_total_source", "modulation", "source"), pa.string()
        ),
        **dict.fromkeys(("retransmission", "crc_ok"), pa.bool_()),
    },
    "bursts": {
        **dict.fromkeys(("user", "cell", "carrier", "start_ns", "end_ns", "bytes"), pa.int64()),
        **dict.fromkeys(
            ("throughput_time_ms", "active_ms", "contention_ms", "throughput_bps"), pa.float64()
        ),
        "estimator": pa.string(),
        "closed": pa.bool_(),
    },
    "cells": {
        **dict.fromkeys(("time_ns", "user", "cell", "earfcn", "carrier", "cqi"), pa.int64()),
        **dict.fromkeys(("rsrp_dbm", "rsrq_db", "sinr_db", "rssi_dbm"), pa.float64()),
        "serving": pa.bool_(),
        "source": pa.string(),
    },
    "handovers": {
        **dict.fromkeys(("user", "start_ns", "end_ns"), pa.int64()),
        **dict.fromkeys(("from_cell", "from_earfcn", "to_cell", "to_earfcn"), pa.int64()),
        **dict.fromkeys(("kind", "source"), pa.string()),
    },
    "buffer_status": {
        **dict.fromkeys(("time_ns", "user", "lcg", "index"), pa.int64()),
        **dict.fromkeys(("low_bytes", "high_bytes", "firmware_queue_bytes"), pa.int64()),
        "source": pa.string(),
    },
}


def write(folder: Path, manifest: Row, **tables: Iterable[Row]) -> Path:
    """Write a dataset; tables that are not given have no rows."""
    for name, types in TYPES.items():
        schema = pa.schema(list(types.items()))
        rows = [{column: row.get(column) for column in types} for row in tables.get(name, ())]
        (folder / name).mkdir(parents=True)
        table = pa.Table.from_pylist(rows, schema=schema)
        parquet.write_table(table, folder / name / "part-0.parquet")
    document = {"schema": 1, "status": "ok", "inputs": [], **manifest}
    (folder / "manifest.json").write_text(json.dumps(document))
    return folder


def blocks(at_ms: Iterable[int], **more: Any) -> list[dict[str, Any]]:
    """Return a downlink block for each of some milliseconds."""
    plain = {
        "user": 0, "direction": "downlink", "cell": 5, "carrier": 0, "block": 0, "rnti": "c",
        "prbs": 50, "prb_total": 50, "tbs_bytes": 2000, "source": "emulator",
    }  # fmt: skip
    return [plain | {"time_ns": BEGIN + at * MS, "tti": at} | more for at in at_ms]


def burst(at_ms: int, length_ms: int, **more: Any) -> dict[str, Any]:
    """Return a burst that was scheduled without a gap."""
    plain = {
        "user": 0, "cell": 5, "estimator": "joint", "start_ns": BEGIN + at_ms * MS,
        "end_ns": BEGIN + (at_ms + length_ms) * MS, "throughput_time_ms": float(length_ms),
        "active_ms": float(length_ms), "contention_ms": 0.0, "bytes": 2000 * length_ms,
        "throughput_bps": 16e6 if length_ms else None, "closed": True,
    }  # fmt: skip
    return plain | more


def log(**more: Any) -> dict[str, Any]:
    """Return the entry of a log in a manifest."""
    plain = {
        "name": "phone.qmdl", "format": "diag", "first_ns": BEGIN, "last_ns": BEGIN + 10_000 * MS,
        "understood": {"0xB173 v24": 4000}, "not_understood": [], "unverified": {}, "skipped": {},
        "problems": [], "warnings": [],
    }  # fmt: skip
    return plain | more


def user(**more: Any) -> dict[str, Any]:
    """Return the entry of a user in a manifest."""
    plain = {
        "user": 0,
        "prb_totals": [{"carrier": 0, "prbs": 50, "source": "mib"}],
        "aligned": None,
        "assumption": {
            "word": "holds",
            "sentence": "the burst rule fits this link",
            "above_start_ratio": 0.9, "below_end_ratio": 0.1, "between_ratio": 0.0,
        },
        "span_s": 10.0,
        "link_demand": {"joint": 0.4, "bursttracker": 0.41, "low": 0.39, "high": 0.42},
        "active_time_s": 4.0, "throughput_time_s": 4.0, "unclassified_ms": 0,
    }  # fmt: skip
    return plain | more

"""Small datasets, as the engine writes them, whose results can be computed by hand.

Only the named tables exist; a column without a value is null.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from airmile.dataset import Dataset
from airmile.store import _testbed_tables
from airmile.testbed.truth import tables
from tests.support import handmade

MS = 1_000_000
SECOND = 1000 * MS
START = 1_800_000_000 * SECOND

Rows = list[dict[str, Any]]

_I, _U, _F, _S, _B = pa.int64(), pa.uint64(), pa.float64(), pa.string(), pa.bool_()

COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "flows": {
        **handmade.COLUMNS["flows"],
        **{
            "vantage": _S,
            "initiator": _S,
            "handshake_after_idle": _B,
            "dl_unique_bytes": _I,
            "ul_unique_bytes": _I,
            "ul_rtt_min_ms": _F,
            "dl_duplicate_acks": _I,
            "dl_acks": _I,
            "first_bps": _F,
            "first_self_inflicted_ms": _F,
            **{"dl_fair": _B, "ul_fair": _B},
            **{"session_id": _U, "ue_idle_before_s": _F, "promotion_delay_ms": _F},
            **{"promotion_uncertainty_ms": _F, "promotion_doubtful": _B},
            **{"promotion_source": _S, "bandwidth_bps": _F, "ul_burst_bps": _F},
            **{"tick_ms": _F, "large": _B, "utilisation_paper_ratio": _F, "pep": _B},
            **{"utilisation_reason": _S, "upstream_rtt_ms": _F, "downstream_rtt_ms": _F},
            **{"ue_timestamps": _B, "dl_out_of_order": _I, "ending_gap_s": _F},
            **{"ul_syn": _I, "dl_syn": _I, "ul_cut_options": _I, "dl_cut_options": _I},
            **{"ue_window_scale": _I, "server_window_scale": _I},
            **{"ue_mss_bytes": _I, "server_mss_bytes": _I},
            **{
                f"{way}_{kind}": _I
                for way in ("ul", "dl")
                for kind in ("fin", "ecn_ce", "ecn_capable", "ece")
            },
        },
    },
    "pings": {"rtt_ms": _F},
    "e5": {
        **{"ue": _S, "source": _S, "window_s": _F, "time_ns": _I, "throughput_bps": _F},
        **{"bandwidth_bps": _F, "error_ratio": _F, "busy": _B},
    },
    "slots": {
        **{"uid": _U, "session_id": _U, "slot": _I, "start_ns": _I, "ul_bytes": _I, "dl_bytes": _I},
        **{"ul_rtt_ms": _F, "ul_rtt_samples": _I, "on_device_delay_ms": _F},
        **{"on_device_delay_samples": _I},
    },
    "rtt_samples": {
        **{"uid": _U, "direction": _S, "rtt_ms": _F, "in_flight_bytes": _I, "source": _S},
    },
    "in_flight_samples": {"uid": _U, "direction": _S, "in_flight_bytes": _I},
    "throughput": {
        **{"uid": _U, "direction": _S, "start_ns": _I, "bytes": _I, "throughput_bps": _F},
    },
    "active_spans": {
        **{"uid": _U, "direction": _S, "start_ns": _I, "end_ns": _I, "bytes": _I},
    },
    "sessions": {
        **{"session_id": _U, "ue": _S, "start_ns": _I, "end_ns": _I, "ul_bytes": _I},
        **{"dl_bytes": _I, "radio_on_s": _F, "promotions": _I, "energy_j": _F},
        "capture": _I,
    },
    "coverage": {"capture": _I, "start_ns": _I},
    "silences": {"session_id": _U, "silence_s": _F, "end_ns": _I, "ended_by": _S},
    "transfers": {
        **handmade.COLUMNS["transfers"],
        **{"session_id": _U, "control": _B, "link_demand_low_ratio": _F},
        **{"link_demand_high_ratio": _F, "link_demand_bursttracker_ratio": _F},
        **{"other_bytes_ratio": _F, "link_throughput_bps": _F},
    },
    "slices": {
        **handmade.COLUMNS["slices"],
        **{"queue_ratio": _F, "upstream_queue_ratio": _F},
    },
    "dns": {
        **{"uid": _U, "query_ns": _I, "response_ns": _I, "name": _S, "query_type": _S},
        **{"answers": _I},
    },
    "bandwidth_samples": handmade.COLUMNS["bandwidth_samples"],
    "loss_episodes": {
        **{
            "repeated_bytes": _I,
            "repeats": _I,
            "timeouts_seen": _I,
            "size_acked": _B,
            "smaller_bytes": _I,
        },
        **{"closed": _B, "sacked_bytes": _I, "timeout_undone": _B},
        **{"lost_here": _I, "lost_upstream": _I},
        **{"uid": _U, "direction": _S, "start_ns": _I, "end_ns": _I, "in_flight_bytes": _I},
        **{"duplicate_acks": _I, "rss_ratio": _F, "undesired_slow_start": _B},
        **{"rss_start_ns": _I, "rss_end_ns": _I},
    },
    "idle_gaps": {
        **{"uid": _U, "direction": _S, "start_ns": _I, "end_ns": _I, "rto_ms": _F, "restart": _S},
    },
    "ttis": {
        **{"time_ns": _I, "tti": _I, "user": _I, "direction": _S, "cell": _I, "carrier": _I},
        **{"block": _I, "rnti": _S, "prbs": _I, "prb_total": _I, "prb_total_source": _S},
        **{"tbs_bytes": _I, "mcs": _I, "modulation": _S, "layers": _I, "harq": _I},
        **{"retransmission": _B, "crc_ok": _B, "padding_bytes": _I, "source": _S},
    },
    "bursts": {
        **{"user": _I, "cell": _I, "carrier": _I, "estimator": _S, "start_ns": _I, "end_ns": _I},
        **{"throughput_time_ms": _F, "active_ms": _F, "contention_ms": _F, "bytes": _I},
        **{"throughput_bps": _F, "closed": _B},
    },
    "cells": {
        **{"time_ns": _I, "user": _I, "cell": _I, "earfcn": _I, "carrier": _I, "serving": _B},
        **{"rsrp_dbm": _F, "rsrq_db": _F, "sinr_db": _F, "rssi_dbm": _F, "cqi": _I, "source": _S},
    },
    "handovers": {
        **{"user": _I, "start_ns": _I, "end_ns": _I, "from_cell": _I, "from_earfcn": _I},
        **{"to_cell": _I, "to_earfcn": _I, "kind": _S, "source": _S},
    },
    "buffer_status": {
        **{"time_ns": _I, "user": _I, "lcg": _I, "index": _I, "low_bytes": _I},
        **{"high_bytes": _I, "firmware_queue_bytes": _I, "source": _S},
    },
}


def dataset(path: Path, /, **rows: Rows) -> Dataset:
    """Write tables as a dataset, and open it."""
    return Dataset(write(path, **rows))


def write(path: Path, /, **rows: Rows) -> Path:
    """Write tables as a dataset; tables of the testbed have all of their columns."""
    path.mkdir(parents=True)
    (path / "manifest.json").write_text(json.dumps(handmade.MANIFEST))
    for name, each in rows.items():
        schema = (
            tables.schema(name)
            if name in _testbed_tables.TABLES
            else pa.schema(list(COLUMNS[name].items()))
        )
        (path / name).mkdir()
        parquet.write_table(
            pa.Table.from_pylist(each, schema=schema), path / name / "part-0.parquet"
        )
    return path


def campaign(path: Path, **runs: dict[str, Rows]) -> Dataset:
    """Write several runs as one dataset, and open it."""
    names = [f"{name}.airmile" for name in runs]
    for name, rows in zip(names, runs.values(), strict=True):
        write(path / name, **rows)
    (path / "manifest.json").write_text(json.dumps({"schema": 1, "runs": names, "planned": []}))
    return Dataset(path)


def at(ms: float) -> int:
    """Return the instant of a millisecond, in ns."""
    return START + round(ms * MS)


def tti(ms: int, prbs: int, **values: Any) -> dict[str, Any]:
    """Return a downlink block of user 0 on a carrier of 50 PRBs."""
    return {
        **{"time_ns": at(ms), "tti": ms, "user": 0, "direction": "downlink", "carrier": 0},
        **{"block": 0, "rnti": "c", "prbs": prbs, "prb_total": 50, "tbs_bytes": prbs * 20},
        **{"cell": 1, "layers": 1, "prb_total_source": "mib"},
        **values,
    }


def burst(begin_ms: int, end_ms: int, **values: Any) -> dict[str, Any]:
    """Return a closed burst of the paper's rule."""
    length = float(end_ms - begin_ms)
    return {
        **{"user": 0, "estimator": "bursttracker", "start_ns": at(begin_ms), "end_ns": at(end_ms)},
        **{"throughput_time_ms": length, "active_ms": length, "contention_ms": 0.0},
        **{"bytes": 1000 * (end_ms - begin_ms), "closed": True},
        **values,
    }


def flow(uid: int, **values: Any) -> dict[str, Any]:
    """Return a TCP flow of one phone."""
    return handmade.flow(uid, **values)


def transfer(
    uid: int, transfer_id: int, begin_ms: float, end_ms: float, **values: Any
) -> dict[str, Any]:
    """Return a downlink transfer of 2 MB whose first byte arrived at once."""
    return {
        **{"uid": uid, "transfer_id": transfer_id, "direction": "downlink", "boundary": "request"},
        **{"request_ns": at(begin_ms), "first_byte_ns": at(begin_ms), "end_ns": at(end_ms)},
        **{"bytes": 2_000_000, "control": False, "other_bytes_ratio": 0.0},
        **values,
    }

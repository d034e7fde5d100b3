"""Datasets of rows that are written by hand, so that a test knows what must follow from them.

`write` takes only the values that matter to a test; every other column is null.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from airmile.cli.schema import described
from airmile.store import _columns
from airmile.store._manifest import SCHEMA

SECOND = 10**9
START = 1_800_000_000 * SECOND

_I, _U, _F, _S = pa.int64(), pa.uint64(), pa.float64(), pa.string()
_WAY = {
    "packets": _I,
    "payload_bytes": _I,
    "rate_bps": _F,
    "first_payload_ns": _I,
    "last_payload_ns": _I,
    "last_ns": _I,
    "unique_bytes": _I,
    "recorded_twice": _I,
    "super_segments": _I,
    "retransmissions": _I,
    "spurious_retransmissions": _I,
    "syn": _I,
    "rtt_samples": _I,
    "window_probes": _I,
    "empty_window_probes": _I,
    "keep_alives": _I,
    "rst": _I,
    "tail_probes": _I,
    "upstream_losses": _I,
    "reordered": _I,
    "zero_windows": _I,
    "rtt_min_ms": _F,
    "rtt_p50_ms": _F,
    "rtt_p95_ms": _F,
    "rtt_max_ms": _F,
    "in_flight_max_bytes": _I,
}
COLUMNS: dict[str, dict[str, pa.DataType]] = {
    "flows": {
        **{"dl_capture_lost_bytes": _I, "ul_capture_lost_bytes": _I},
        **{"capture": _I, "subscriber": _S},
        **{"uid": _U, "session_id": _U, "ue": _S, "ue_port": pa.uint16(), "server": _S},
        **{"service": _S, "send_max_bps": _F, "bandwidth_c_rule_bps": _F},
        **{"bandwidth_c_rule_coverage_ratio": _F},
        **{"server_port": pa.uint16(), "protocol": _S, "start_ns": _I, "end_ns": _I},
        **{"duration_s": _F, "ending": _S, "quality": _S, "limited_by": _S},
        **{"limited_by_reason": _S},
        **{f"{way}_{name}": kind for way in ("ul", "dl") for name, kind in _WAY.items()},
        **{"handshake_rtt_ms": _F, "upstream_rtt_ms": _F, "promotion_delay_ms": _F},
        **{"promotion_doubtful": pa.bool_()},
        **{"initial_window_bytes": _I, "ue_initial_window_bytes": _I, "window_full_s": _F},
        **{"window_full_first_ratio": _F, "bandwidth_bps": _F, "bandwidth_source": _S},
        **{"utilisation_ratio": _F, "teid": pa.int64(), "server_name": _S, "tls_handshake_ms": _F},
        **{"zero_window_s": _F, "ul_zero_window_s": _F, "ul_bandwidth_bps": _F},
        **{
            "timeouts_seen": _I,
            "undesired_slow_starts": _I,
            "vantage_source": _S,
            "self_inflicted_delay_ms": _F,
        },
    },
    "transfers": {
        **{"transfer_id": _U, "uid": _U, "direction": _S, "boundary": _S, "request_ns": _I},
        **{"first_byte_ns": _I, "end_ns": _I, "bytes": _I, "control": pa.bool_()},
        **{"limited_by": _S, "request_end_ns": _I, "first_byte_ms": _F, "server_wait_ms": _F},
        **{"round_trips": _I, "path_rtt_ms": _F, "loop_ms": _F},
        **{"share_lte_downlink": _F, "share_receive_window": _F, "link_demand_ratio": _F},
        **{"share_handover": _F},
    },
    "slices": {
        **{"uid": _U, "transfer_id": _U, "direction": _S, "start_ns": _I, "end_ns": _I},
        **{"bytes": _I, "in_flight_bytes": _I, "flight_known_bytes": _I},
        **{"cause": _S, "cause_source": _S, "reason": _S},
        **{"certainty": _S, "second": _S},
        **{
            "window_bytes": _I,
            "first_frame": _I,
            "last_frame": _I,
            "rtt_ms": _F,
            "rtt_min_ms": _F,
            "delivery_bps": _F,
            "least_queue_ms": _F,
            "retransmissions": _I,
            "rto_wait_ms": _F,
        },
    },
    "bandwidth_samples": {
        **{"uid": _U, "direction": _S, "time_ns": _I, "span_s": _F, "bandwidth_bps": _F},
        **{"source": _S},
    },
}

MANIFEST: dict[str, Any] = {
    "schema": SCHEMA,
    "status": "ok",
    "reasons": [],
    "interrupted": False,
    "ue_nets": [],
    "vantage": {
        "value": "monitor",
        "source": "handshakes",
        "votes": {"ue": 0, "monitor": 1, "server": 0},
    },
    "inputs": [{"name": "hand.pcap", "status": "ok", "problems": []}],
    "warnings": [],
    "notes": [],
    "parameters": {each["name"]: each["default"] for each in described()["parameters"]},
}
"""The keys of a manifest that the package reads."""

Rows = list[dict[str, Any]]


def flow(uid: int, **values: Any) -> dict[str, Any]:
    """Return a TCP flow of one phone to one server, 10 s long."""
    return {
        "uid": uid,
        "session_id": 1,
        "subscriber": values.get("ue", "10.0.0.1"),
        "ue": "10.0.0.1",
        "ue_port": 40000 + uid,
        "server": "203.0.113.9",
        "server_port": 443,
        "protocol": "tcp",
        "start_ns": START,
        "end_ns": START + 10 * SECOND,
        "duration_s": 10.0,
        "ending": "fin",
        "quality": "",
        "dl_packets": 1000,
        "ul_packets": 500,
        "dl_payload_bytes": 1_000_000,
        "ul_payload_bytes": 100,
        **values,
    }


def transfer(
    uid: int, transfer_id: int, start_s: float, end_s: float, **values: Any
) -> dict[str, Any]:
    """Return a downlink transfer between two seconds."""
    return {
        "uid": uid,
        "transfer_id": transfer_id,
        "direction": "downlink",
        "boundary": "request",
        "request_ns": at(start_s),
        "first_byte_ns": at(start_s),
        "end_ns": at(end_s),
        "bytes": 1_000_000,
        **values,
    }


def slice_(
    uid: int, transfer_id: int | None, start_s: float, end_s: float, cause: str, **values: Any
) -> dict[str, Any]:
    """Return a slice between two seconds."""
    return {
        "uid": uid,
        "transfer_id": transfer_id,
        "direction": "downlink",
        "start_ns": at(start_s),
        "end_ns": at(end_s),
        "bytes": 1000,
        "cause": cause,
        "cause_source": "tcp",
        "certainty": _certainty(cause, values.get("second")),
        **values,
    }


def _certainty(cause: str, second: str | None) -> str:
    if cause == "undetermined":
        return "open"
    return "likely" if second else "sure"


def at(second: float) -> int:
    """Return the instant of a second of the capture."""
    return START + round(second * SECOND)


def write(path: Path, tables: dict[str, Rows], manifest: dict[str, Any] | None = None) -> Path:
    """Write a dataset with these rows, and return its folder."""
    path.mkdir()
    (path / "manifest.json").write_text(json.dumps({**MANIFEST, **(manifest or {})}))
    for name, columns in COLUMNS.items():
        (path / name).mkdir()
        table = pa.Table.from_pylist(tables.get(name, []), schema=pa.schema(list(columns.items())))
        parquet.write_table(table, path / name / "part-0.parquet")
    return path


def typed(name: str, columns: Mapping[str, list[Any]]) -> pa.Table:
    """Return columns as a table; columns that airmile declares have the declared types."""
    known = _columns.declared(name)
    return pa.table(
        {
            column: pa.array(values, pa.type_for_alias(known[column]) if column in known else None)
            for column, values in columns.items()
        }
    )

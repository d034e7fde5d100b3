"""Invented datasets of a few rows, with which definitions are tested."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from airmile.dataset import Dataset
from airmile.store import _sql, _testbed_tables, _truth_tables
from airmile.testbed.truth import tables

MS = 1_000_000

Row = Mapping[str, Any]


def dataset(path: Path = Path(), /, **rows: list[Any]) -> Dataset:
    """Return a dataset of tables by name; tables of the truth have all of their columns."""
    return cast(Dataset, _MadeUp(path, rows))


class _MadeUp:
    """The part of a dataset that scoring uses: SQL, names of tables, and the folder."""

    def __init__(self, path: Path, rows: Mapping[str, list[Any]]) -> None:
        self.path = path
        self.tables = tuple(rows)
        self._connection = _sql.connect()
        for name, each in rows.items():
            schema = tables.schema(name) if name in _testbed_tables.TABLES else None
            self._connection.register(name, pa.Table.from_pylist(each, schema=schema))

    def arrow(self, query: str) -> pa.Table:
        return self._connection.sql(query).to_arrow_table()


def sample(at_ms: float, **values: Any) -> dict[str, Any]:
    """Return the state of a download's sender: busy since 0, with a full congestion window."""
    usual = {
        **{column.name: 0 for column in _truth_tables.TCP},
        **{"place": "server", "local_port": 80, "peer_port": 5000, "cc": "cubic", "state": 1},
        **{"cwnd": 20, "unacked": 20, "snd_mss": 1000, "notsent": 5000, "snd_wnd": 1_000_000},
        "busy_us": int(at_ms * 1000),
    }
    return {**usual, "time_ns": int(at_ms * MS), **values}


def every_10_ms(**values: Any) -> list[dict[str, Any]]:
    """Return ten states of a sender, one for each 10 ms of the first 100 ms."""
    return [sample(at, **values) for at in range(5, 100, 10)]


def tti(number: int, queue: int, **values: Any) -> dict[str, Any]:
    """Return a millisecond of the downlink that serves up to 2,500 bytes of a queue."""
    usual = {
        **{column.name: 0 for column in _truth_tables.TTIS},
        **{"time_ns": number * MS, "tti": number, "direction": "downlink", "blocked": None},
        **{"queue_bytes": queue, "available_bytes": 2500, "served_bytes": min(queue, 2500)},
        "state": "ACTIVE" if queue > 2500 else "LAST_ACTIVE" if queue else "UNDERFLOW",
    }
    return {**usual, **values}


def flow(**values: Any) -> dict[str, Any]:
    """Return a flow of the analysis that lasts from 0 to 1 s."""
    usual = {"uid": 1, "protocol": "tcp", "ue_port": 5000, "server_port": 80, "start_ns": 0}
    carried = {"dl_payload_bytes": 1_448_000, "dl_packets": 1000}
    return {**usual, **carried, "end_ns": 1000 * MS, "upstream_rtt_ms": 20.0, **values}

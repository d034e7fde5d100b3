"""The analysis of a capture, by connection."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import airmile
from airmile.testbed.record.captures import Point
from tests.recorded.slices import Slices, slices

Vantage = Point | Literal["auto"]


@dataclass
class Said:
    """The analysis of one capture.

    Attributes
    ----------
    slices : dict of int to list of ((int, int), str)
        By the phone's port: spans and causes.
    transfers : dict of int to list of dict
        By the phone's port: rows of `transfers`, with `request_ns` and `end_ns`.
    has_server_wait : bool
        Whether there is a column `server_wait_ms`.
    """

    slices: Slices
    transfers: defaultdict[int, list[dict[str, Any]]] = field(
        default_factory=lambda: defaultdict(list)
    )
    has_server_wait: bool = False


def analyse(capture: Path, vantage: Vantage = "auto") -> Said:
    """Analyse a capture with the engine that is installed."""
    with tempfile.TemporaryDirectory(prefix="airmile-everyday-") as scratch:
        dataset = airmile.analyze(capture, vantage=vantage, out=Path(scratch) / "x.airmile")
        said = Said(slices(dataset))
        known = dataset.sql("SELECT * FROM transfers LIMIT 0").column_names
        said.has_server_wait = "server_wait_ms" in known
        wait = "server_wait_ms" if said.has_server_wait else "NULL AS server_wait_ms"
        for row in dataset.sql(_TRANSFERS.format(wait=wait)).to_pylist():
            said.transfers[row["ue_port"]].append(row)
        return said


_TRANSFERS = (
    "SELECT ue_port, request_ns, t.first_byte_ns, t.end_ns, {wait} "
    "FROM transfers t JOIN flows USING (uid) ORDER BY request_ns"
)

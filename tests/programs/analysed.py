"""What airmile says of a capture: slices, headlines, waits and findings, by the phone's port."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import airmile
from airmile import mechanisms
from tests.recorded.spans import Span
from tests.taps import said


@dataclass
class Analysis:
    """The analysis of a capture.

    Attributes
    ----------
    said : Said
        Slices and headlines with their certainty.
    transfers : dict of int to list of dict
        Rows of `transfers` by the phone's port.
    findings : dict of int to list of (str, str)
        Mechanisms and how sure they are, by the phone's port.
    """

    said: said.Said
    transfers: defaultdict[int, list[dict[str, Any]]]
    findings: defaultdict[int, list[tuple[str, str]]]

    def counted(self, port: int) -> list[Span]:
        """Give the times of the transfers of a connection that count in its headline.

        The first one begins with the handshake, or a look-up before it.
        """
        rows = [row for row in self.transfers[port] if not row["control"]]
        return [(row["since_ns"], row["end_ns"]) for row in rows if row["since_ns"]]


def analyse(capture: Path, ports: Collection[int]) -> Analysis:
    """Analyse a capture without options, as most users do."""
    with tempfile.TemporaryDirectory(prefix="airmile-programs-") as scratch:
        dataset = airmile.analyze(capture, out=Path(scratch) / "x.airmile")
        found = Analysis(said._read(dataset, None, ports), defaultdict(list), defaultdict(list))
        for row in dataset.sql(_TRANSFERS).to_pylist():
            found.transfers[row["ue_port"]].append(row)
        flows = dataset.sql("SELECT uid, ue_port FROM flows").to_pylist()
        port_of = {row["uid"]: row["ue_port"] for row in flows}
        for name, every in mechanisms.found(dataset).items():
            for each in every:
                found.findings[port_of[each.uid]].append((name, each.certainty))
        return found


_TRANSFERS = """
    SELECT ue_port, request_ns, t.end_ns, server_wait_ms, loop_ms, control, since_ns
    FROM transfers t JOIN flows USING (uid) LEFT JOIN (
        SELECT transfer_id, min(start_ns) AS since_ns FROM slices GROUP BY transfer_id
    ) USING (transfer_id) ORDER BY request_ns"""

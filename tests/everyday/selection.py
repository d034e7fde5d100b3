"""The recorded runs that are kept with the project: one capture of each, headers only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.everyday.rows import REQUEST_COLUMNS, TRUTH_COLUMNS
from tests.recorded.files import read_rows, write_bytes, write_rows
from tests.recorded.packets import part

KEPT = Path(__file__).parent.parent / "data" / "everyday"

SNAP_BYTES = 128
"""Bytes kept of each packet: the headers, with that of the first TLS record."""


@dataclass(frozen=True)
class Selected:
    """A run, one of its capture points, and how many of its connections are kept."""

    run: str
    tap: str
    connections: int = 2

    @property
    def name(self) -> str:
        """The name of its folder."""
        return f"{self.run}-{self.tap}"


SELECTED = (
    Selected("think_http1-50ms-s2", "ue", 3),
    Selected("think_http1-400ms-s2", "monitor", 3),
    Selected("think_pipelined-150ms-s2", "monitor"),
    Selected("think_tls12-150ms-s2", "ue"),
    Selected("think_tls13-50ms-s2", "server"),
    Selected("think_h2-150ms-s2", "monitor"),
    Selected("page-40ms-s2", "monitor", 8),
    Selected("page_with_loss-120ms-s2", "ue", 8),
    Selected("small_calls-50ms-s2", "ue"),
    Selected("zero_window_download-20ms-s2", "monitor"),
    Selected("zero_window_upload-20ms-s2", "ue"),
    Selected("upload_bulk-40ms-s2", "monitor"),
    Selected("upload_photos-40ms-s2", "monitor"),
    Selected("upload_paced-120ms-s2", "ue"),
    Selected("upload_receive_window-120ms-s2", "server"),
)


def keep(recorded: Path, kept: Path = KEPT) -> None:
    """Write the selection again, from the folder of recorded runs."""
    for each in SELECTED:
        folder = kept / each.name
        folder.mkdir(parents=True, exist_ok=True)
        run = recorded / each.run
        rows = {
            name: [row for row in read_rows(run / f"{name}.csv") if row["tap"] == each.tap]
            for name in ("truth", "requests")
        }
        ports = list(dict.fromkeys(row["port"] for row in rows["truth"]))[: each.connections]
        for name, columns in (("truth", TRUTH_COLUMNS), ("requests", REQUEST_COLUMNS)):
            own = (row for row in rows[name] if row["port"] in ports)
            write_rows(folder / f"{name}.csv.gz", own, columns)
        capture = part(run / f"{each.tap}.pcap", set(map(int, ports)), SNAP_BYTES)
        write_bytes(folder / f"{each.tap}.pcap.gz", capture)

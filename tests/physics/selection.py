"""The recorded runs that are kept with the project: the monitor's headers and the truth."""

from __future__ import annotations

from pathlib import Path

from tests.physics import truth
from tests.physics.analysed import case_of
from tests.physics.figures import PROMOTED
from tests.recorded.files import read_rows, write_bytes, write_rows
from tests.recorded.packets import part

KEPT = Path(__file__).parent.parent / "data" / "physics"

SNAP_BYTES = 80
"""Bytes kept of each packet: headers with every option (RFC 9293 section 3.1: 60 bytes of TCP)."""

SEED = 2

SELECTED = (
    *("ack_outage-link", "ack_outage-window", "competitors-cubic", "cwnd_same_rate-loss"),
    *("cwnd_same_rate-bottleneck_cubic", "flows-3", "link_down-cubic_fading"),
    *("link_up-bbr_steady", "link_up-cubic_steady", "loop_change-upload", "loop_change-window"),
    *("needless_probe-answers", "pacing_same_rate-up", "queue_10ms-down", "queue_20ms-down"),
    *(
        "queue_codel-cubic",
        "rates_500ms-two",
        "silence-kept",
        "silence-minute",
        "silence-new",
        "silence-tick_10ms",
    ),
    *("tail_loss-one", "tail_loss-three", "tail_loss-unsent", "tail_loss-up"),
    *("upload_slow-paced", "upload_slow-window", "upload_start-photos", "upload_start-series"),
    "window_same_rate-down",
)
"""The kinds and variants that are kept."""


def keep(recorded: Path, kept: Path = KEPT) -> None:
    """Write the selection again, from the folder of recorded runs."""
    for name in (f"{each}-s{SEED}" for each in SELECTED):
        folder, run = kept / name, recorded / name
        folder.mkdir(parents=True, exist_ok=True)
        rows = read_rows(run / "truth.csv")
        write_rows(folder / "truth.csv.gz", rows, truth.COLUMNS)
        promoted = case_of(run).rows(PROMOTED)
        write_rows(folder / "promotions.csv.gz", promoted, ("time_ns", "value"))
        ports = {int(row["port"]) for row in rows}
        capture = part(run / "monitor.pcap", ports, SNAP_BYTES)
        write_bytes(folder / "monitor.pcap.gz", capture)

"""What a capture shows does not depend on the captures that follow it (methods A1)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import airmile as am
from tests.support import taps

DATA = Path(__file__).parents[1] / "data" / "emu"
DAY_NS = 86_400 * 10**9

CAUSES = """SELECT uid, start_ns, end_ns, cause, certainty, second, reason, queue_ratio, rtt_ms
            FROM slices WHERE uid IN (SELECT uid FROM flows WHERE capture = 0)
            ORDER BY ALL"""


def test_a_capture_a_day_later_changes_nothing(tmp_path: Path) -> None:
    capture = DATA / "a_link_cubic" / "ue.pcap.gz"
    later = [replace(record, ns=record.ns + DAY_NS) for record in taps.read(capture)]
    other = taps.write(tmp_path / "later.pcap", later)
    alone = am.analyze(capture, out=tmp_path / "alone.airmile").sql(CAUSES)
    beside = am.analyze(capture, other, out=tmp_path / "both.airmile").sql(CAUSES)
    assert alone.num_rows > 0
    assert beside.to_pylist() == alone.to_pylist()

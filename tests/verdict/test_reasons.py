"""A reason says what the rule has tested, and nothing that the slice beside it contradicts."""

from __future__ import annotations

from pathlib import Path

import airmile

RUN = Path(__file__).parents[1] / "data" / "emu" / "t06_congestion_window" / "monitor.pcap.gz"


def test_a_flight_that_grows_is_not_said_to_stand_still(tmp_path: Path) -> None:
    """Congestion avoidance grows too, slower than slow start: `verdict.growth_ratio` parts them."""
    dataset = airmile.analyze(RUN, out=tmp_path / "run.airmile")
    grown = dataset.sql(
        """SELECT DISTINCT reason FROM (
            SELECT *, lag(in_flight_bytes) OVER (PARTITION BY uid, direction ORDER BY start_ns)
                AS before_bytes FROM slices)
        WHERE cause = 'congestion_window' AND in_flight_bytes > before_bytes"""
    )
    reasons = [row["reason"] for row in grown.to_pylist()]
    assert reasons == [
        "the flight grows slower than in slow start, if at all, and nothing else holds it"
    ]

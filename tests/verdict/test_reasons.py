"""A reason states what the rule has tested, and does not contradict its slice."""

from __future__ import annotations

from pathlib import Path

import airmile

RUN = Path(__file__).parents[1] / "data" / "emu" / "t06_congestion_window" / "monitor.pcap.gz"


def test_a_growing_flight_is_not_called_constant(tmp_path: Path) -> None:
    """Congestion avoidance grows too; `verdict.growth_ratio` separates it from slow start."""
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

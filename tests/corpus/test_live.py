"""A log that is followed gives the same results as when it is read whole."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import airmile
from airmile.live import stream

LOGS = sorted(
    path
    for path in Path(os.environ.get("AIRMILE_CORPUS", "/nowhere")).glob("radio*/*")
    if path.suffix in (".mi2log", ".qmdl")
)


PRBS = 6
"""A narrow cell, so that these logs have bursts; the sums do not depend on it."""


def followed(path: Path) -> tuple[int, float]:
    """Return bytes and seconds of all bursts of a log that is followed to its end."""
    volume, seconds = 0, 0.0
    with stream.opened(str(path), {"cell_prbs": [str(PRBS)]}) as log:
        while (text := log.read(60.0, 0.0)) is not None:
            for burst in json.loads(text)["bursts"]:
                volume += burst["bytes"] or 0
                seconds += burst["throughput_time_ms"] / 1e3
    return volume, seconds


@pytest.mark.skipif("AIRMILE_CORPUS" not in os.environ, reason="AIRMILE_CORPUS is not set")
@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_bytes_and_rates_are_those_of_the_whole_log(log: Path, tmp_path: Path) -> None:
    dataset = airmile.radio(log, cell_prbs=[PRBS], out=tmp_path / "a.airmile")
    query = """SELECT coalesce(sum(bytes), 0) AS bytes,
        coalesce(sum(throughput_time_ms), 0) / 1e3 AS seconds
        FROM bursts WHERE estimator = 'bursttracker'"""
    if "bursts" not in dataset.tables:
        assert followed(log)[0] == 0
        return
    whole = dataset.sql(query).to_pylist()[0]
    volume, seconds = followed(log)
    assert volume == whole["bytes"]
    assert seconds == pytest.approx(whole["seconds"])

"""Figures 15 and 16 of LTE13 shade the spans that the engine compared for R_ss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import airmile as am
from airmile.study import _packets
from airmile.study._needs import Needs
from airmile.study.lte13 import _trains
from airmile.study.lte13._trains import Which, _spans

RECORDED = Path(__file__).parents[1] / "data" / "emu"
CAPTURES = [
    *(f"{case}/monitor" for case in ("t06_congestion_window", "t17_timeouts", "t23_short_buffer")),
    *("f1_loss_fastrec/server", "f1_loss_fastrec/ue"),
]
SHIFT, SPAN = "loss_episodes.rss_shift", "loss_episodes.rss_span_ms"


NOTHING = dict.fromkeys(("rss", "in_flight", "rtt_before", "rtt_after", "rto"), "")

EVERY = _trains.exhibit("any", "", Which("true", "abs(rss_ratio - 1)", ""), NOTHING, "", Needs())
"""A figure of any train at any capture point, because the engine compares its spans there."""


@pytest.mark.parametrize("changed", [{}, {SHIFT: 0}, {SPAN: 150}])
@pytest.mark.parametrize("name", CAPTURES)
def test_the_payload_in_the_shaded_spans_gives_r_ss(
    tmp_path: Path, name: str, changed: dict[str, float]
) -> None:
    capture = RECORDED / f"{name}.pcap.gz"
    dataset = am.analyze(capture, out=tmp_path / "x.airmile", set=changed)
    rows = EVERY.table(dataset)
    (first, second) = (_bytes(dataset, rows, span) for span in _spans(rows))
    assert second / first == pytest.approx(rows["rss_ratio"][0].as_py())


def _bytes(dataset: am.Dataset, rows: Any, span: tuple[float, float]) -> int:
    """Return the downlink payload in a span of the picture."""
    assert EVERY.flows is not None
    (train,) = EVERY.flows(dataset)
    packets = _packets.of_flow(dataset, train).to_pylist()
    begin_ns, end_ns = (train["start_ns"] + round(each * 1e9) for each in span)
    return sum(
        packet["payload_bytes"]
        for packet in packets
        if packet["direction"] == "downlink" and begin_ns <= packet["time_ns"] < end_ns
    )

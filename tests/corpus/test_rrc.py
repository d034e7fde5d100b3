"""Handover commands in the public modem logs: decoded whole, and by their first bits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import airmile
from airmile.verbs import _rrc

CORPUS = os.environ.get("AIRMILE_CORPUS")
LOGS = [
    path
    for path in sorted((Path(CORPUS) / "radio").glob("*") if CORPUS else ())
    if path.suffix in (".mi2log", ".qmdl")
]

WITHOUT_ORDERS = {
    "20201116_154113_Xiaomi-Mi10_46000.mi2log",
    "20201116_163813_Xiaomi-Mi10_46000.mi2log",
    "20201116_185804_Xiaomi-Mi10_46000.mi2log",
    *("att-iphone_a.mi2log", "att.mi2log", "data_sample_a.qmdl", "dl_retx_a.mi2log"),
    *("latency_sample_a.mi2log", "qmdl_example.qmdl"),
}
"""Logs in which no reconfiguration had to be decoded whole."""

pytest.importorskip("pycrate_asn1dir")


@pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")
@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_both_readings_give_the_same_handovers(
    tmp_path: Path, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole, reading = handovers(log, tmp_path / "whole.airmile")
    assert reading["failed"] == 0
    assert (reading["decoded"] > 0) == (log.name not in WITHOUT_ORDERS)
    monkeypatch.setattr(_rrc, "decoder", lambda: None)
    plain, plain_reading = handovers(log, tmp_path / "plain.airmile")
    assert whole == plain
    assert plain_reading["decoded"] == 0


def handovers(log: Path, out: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows, and how RRC was read."""
    dataset = airmile.radio(log, out=out)
    rows = dataset.sql("FROM handovers ORDER BY ALL").to_pylist()
    return rows, dataset.manifest["modem"][0]["rrc"] or {"failed": 0, "decoded": 0}

"""The cell of the blocks in a modem log whose blocks do not name it."""

from __future__ import annotations

from pathlib import Path

import airmile
from tests.support import diag

BEGIN_MS = 1_700_000_000_000

PHONE, OTHER = 1, 2
"""The numbers of two subscriptions."""


def width(ms: int, cell: int, subscription: int) -> bytes:
    payload = diag.mib(cell, 1800, 50)
    return diag.log(diag.MIB, BEGIN_MS + ms, payload, subscription)


def block(ms: int, carrier: int = 0) -> bytes:
    payload = diag.pdsch([diag.Block(ms, 50, 1500, carrier)])
    return diag.log(diag.PDSCH_STAT, BEGIN_MS + ms, payload, PHONE)


def test_a_block_is_of_the_cell_last_reported_for_its_carrier(tmp_path: Path) -> None:
    packets = [
        block(1),
        width(10, 7, PHONE),
        *(width(20 + ms, 9, OTHER) for ms in range(200)),
        block(300),
        block(310, carrier=1),
        width(400, 8, PHONE),
        width(410, 8, PHONE),
        block(500),
        width(600, 7, PHONE),
        block(700),
    ]
    log = tmp_path / "phone.qmdl"
    log.write_bytes(b"".join(packets))
    dataset = airmile.radio(log, out=tmp_path / "phone.airmile")
    rows = dataset.sql("SELECT tti, carrier, cell FROM ttis ORDER BY tti").to_pylist()
    assert [(row["carrier"], row["cell"]) for row in rows] == [
        (0, None),
        (0, 7),
        (1, None),
        (0, 8),
        (0, 7),
    ]

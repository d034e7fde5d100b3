"""Modem logs of phones: what is understood of them, what held, and what their uplink was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus import layouts

CORPUS = os.environ.get("AIRMILE_CORPUS")
LOGS = layouts.logs(Path(CORPUS)) if CORPUS else []

pytestmark = pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")

BETWEEN = {
    "diag_log_20211220_104041.mi2log": (0.20, 0.25),
    "diag_log_20211220_104405.mi2log": (0.30, 0.35),
    "diag_log_20211220_111534.mi2log": (0.30, 0.35),
}
"""Share of the time of sending in which data waited, of the three logs with much uplink: their
blocks hold padding in 24, 38 and 44 of 100, and the modem itself says that nothing waited for 23,
35 and 41 of 100 (0xB066)."""


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_nothing_is_refused_and_nearly_all_holds(tmp_path: Path, log: Path) -> None:
    told = layouts.read(log, tmp_path / "log.airmile")
    assert told.log.get("refused") == []
    if log.parent.name == "radio-uplink":
        assert told.unread == []
    for layout, of in told.checks.items():
        for name, (held, failed) in of.items():
            assert failed <= 0.005 * (held + failed), f"{layout} {name}"


@pytest.mark.parametrize("name", BETWEEN)
def test_the_uplink_beside_the_reports_of_its_buffer(tmp_path: Path, name: str) -> None:
    log = next(path for path in LOGS if path.name == name)
    user, *_ = layouts.read(log, tmp_path / "log.airmile").users
    assert user.received_little and user.busy_ratio is None
    assert user.link_is_bottleneck is None
    low, high = BETWEEN[name]
    least, most = (user.uplink[f"backlogged_{end}_ratio"] for end in ("low", "high"))
    assert low <= least <= most <= high
    assert user.uplink_is_bottleneck is False
    # Blocks that were filled are those before which more waited than they took.
    assert user.uplink["waiting_ratio"] == pytest.approx(user.uplink["filled_ratio"], abs=0.04)

"""Modem logs of phones: their known records, their self-checks and their uplink."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.corpus import layouts

CORPUS = os.environ.get("AIRMILE_CORPUS")
LOGS = layouts.logs(Path(CORPUS)) if CORPUS else []

pytestmark = pytest.mark.skipif(CORPUS is None, reason="AIRMILE_CORPUS is not set")

UPLINK = {
    "diag_log_20211220_104041.mi2log": (0.4733, 0.4949, 0.7722, 0.7582),
    "diag_log_20211220_104405.mi2log": (0.4128, 0.4205, 0.6453, 0.6189),
    "diag_log_20211220_111534.mi2log": (0.3448, 0.3469, 0.5897, 0.5647),
}
"""For the three logs with much uplink, to four digits: the least and the greatest share of the
sending time in which data waited, the share of blocks before which more waited than they took, and
that of filled blocks. 24, 38 and 44 % of their blocks hold padding, and the modem itself reports
that nothing waited for 23, 35 and 41 % (0xB066)."""


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_nothing_is_refused_and_all_holds(tmp_path: Path, log: Path) -> None:
    shown = layouts.read(log, tmp_path / "log.airmile")
    assert shown.log.get("refused") == []
    if log.parent.name == "radio-uplink":
        assert shown.unread == []
    counts = [of for kinds in shown.checks.values() for of in kinds.values()]
    assert sum(failed for _, failed in counts) == 0


@pytest.mark.parametrize("name", UPLINK)
def test_the_uplink_beside_the_reports_of_its_buffer(tmp_path: Path, name: str) -> None:
    log = next(path for path in LOGS if path.name == name)
    user, *_ = layouts.read(log, tmp_path / "log.airmile").users
    assert user.received_little and user.busy_ratio is None
    assert user.link_is_bottleneck is None
    shares = ("backlogged_low_ratio", "backlogged_high_ratio", "waiting_ratio", "filled_ratio")
    assert tuple(round(user.uplink[share], 4) for share in shares) == UPLINK[name]
    assert user.uplink_is_bottleneck is False
    # Filled blocks are those before which more waited than they took.
    assert user.uplink["waiting_ratio"] == pytest.approx(user.uplink["filled_ratio"], abs=0.04)

"""Mutated logs of a known link, and the logs that once gave a wrong answer."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

import airmile
from airmile.verbs._verify import verify
from tests.radio.mutated.check import faults
from tests.support.share import share

LOGS = share(few=20, whole=3000, what="mutated modem logs")
"""How many logs are checked; `make check-all` checks all."""

# fmt: off
COUNTED_TWICE = {
    376, 384, 490, 639, 800, 904, 1085, 1338, 1859, 1873, 1954, 2358, 2385, 2531, 2598, 2800,
}
# fmt: on
"""The reader of packets continues frame numbers by the stamps where their phase jumps, so that a
piece that was logged again has other numbers there."""

BY_CHANCE = {55, 1172, 1490, 1722, 2860}
"""A counter that wraps fits the time of another recording or of another clock by chance."""

OUT_OF_ORDER = {138, 661, 1628, 1726, 2357, 2495, 2668}
"""The clock or the counter began anew amid blocks that were out of order."""

SET_BACK = {1129, 1926, 1959}
"""The clock of a QCAT log was set back while a counter wrapped: of two the range is 10.2 and 11.2
points wide, of one a block too many is placed."""

WRONG = COUNTED_TWICE | BY_CHANCE | OUT_OF_ORDER | SET_BACK
"""The logs of which a wrong answer is known, 31 of 3,000."""


@pytest.mark.parametrize("part", range(10))
def test_mutated_logs_show_the_link(part: int, tmp_path: Path) -> None:
    wrong = {}
    for seed in range(part, LOGS, 10):
        folder = tmp_path / str(seed)
        folder.mkdir()
        if found := faults(seed, folder):
            wrong[seed] = found
    assert set(wrong) == {seed for seed in WRONG if seed < LOGS and seed % 10 == part}, wrong


def blocks(wraps_at: int | None, gap_s: float) -> Iterable[str]:
    """Yield a log of two minutes, two thirds full, with a restart or a counter that wraps."""
    random = Random(1)
    yield "t_unix,tti,prb,tbs_bytes\n"
    for ms in range(120_000):
        if ms // 2000 % 3 == 2 and random.random() > 0.02:
            continue
        part, since = divmod(ms, 60_000)
        time_s = 1_795_720_000 + ms / 1000 + part * gap_s
        counter = round(time_s * 1000) % wraps_at if wraps_at else since
        yield f"{time_s:.6f},{counter},{random.randint(20, 50)},{random.randint(600, 4000)}\n"


def analysed(folder: Path, lines: Iterable[str]) -> airmile.Dataset:
    log = folder / "log.csv"
    log.write_text("".join(lines))
    return airmile.radio(log, out=folder / "log.airmile")


def test_a_restart_is_no_busy_time(tmp_path: Path) -> None:
    dataset = analysed(tmp_path, blocks(None, 110))
    (user,) = dataset.radio.users
    assert user.receiving_s == pytest.approx(120, abs=1)
    assert (user.busy_high_ratio or 1) < 0.75
    assert "all of it" not in str(dataset.radio)
    assert dataset.sql("SELECT count(DISTINCT epoch) AS epochs FROM ttis").to_pydict() == {
        "epochs": [2]
    }
    assert not list(verify(dataset.path))


def test_a_counter_that_wraps_as_frame_numbers_do_loses_nothing(tmp_path: Path) -> None:
    lines = list(blocks(10_240, 0))
    dataset = analysed(tmp_path, lines)
    assert dataset.rows("ttis") == len(lines) - 1
    assert dataset.manifest["modem"][0]["skipped"] == {}
    assert dataset.sql("SELECT max(tti) - min(tti) AS ms FROM ttis").to_pydict()["ms"][0] >= 119_000
    assert not list(verify(dataset.path))


@pytest.mark.parametrize("far_s", [86_400, -86_400])
def test_one_damaged_row_is_left_out_and_counted(tmp_path: Path, far_s: int) -> None:
    lines = list(blocks(None, 0))[:20_000]
    time_s, rest = lines[9_000].split(",", 1)
    lines[9_000] = f"{float(time_s) + far_s:.6f},{rest}"
    dataset = analysed(tmp_path, lines)
    (log,) = dataset.manifest["modem"]
    assert dataset.rows("ttis") == len(lines) - 2
    assert (log["skipped"], log["status"]) == ({"stray_block": 1}, "partial")
    assert log["last_ns"] - log["first_ns"] < 60e9
    assert not list(verify(dataset.path))

"""Clocks of modem logs on recorded sets: within what is told, or no answer and the reason."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

import airmile
from tests.score.clocks import SETS, Found, align

SOME = ("a_link_cubic", "f2_loss_rto", "t04_receive_window", "t10_sender_app", "t16_periodic")
KNOWN = ("equal", "hours", "gps")
"""Clocks that are expected: they are always found."""
CHANGED = ("shifted", "drifting", "ends early", "middle", "twice, shifted", "uplink only")
OTHER_RANGES = re.compile(r"several offsets \(.*: the traffic repeats itself|less than two seconds")


@cache
def found(name: str, clock: str, scratch: Path) -> Found | None:
    scratch.mkdir()
    return align(SETS / name, clock, "monitor", scratch)


@pytest.mark.parametrize("clock", KNOWN)
@pytest.mark.parametrize("name", SOME)
def test_a_likely_clock_is_found(name: str, clock: str, tmp_path: Path) -> None:
    told = found(name, clock, tmp_path / "a")
    assert told is not None
    assert told.holds, told


@pytest.mark.parametrize("clock", CHANGED)
def test_any_clock_is_within_its_uncertainty_or_not_told(clock: str, tmp_path: Path) -> None:
    told = [each for name in SOME if (each := found(name, clock, tmp_path / name))]
    for each in told:
        assert each.holds or OTHER_RANGES.search(each.reason or ""), each
    assert any(each.holds for each in told)


def test_two_equal_files_in_a_log_of_one_have_no_answer(tmp_path: Path) -> None:
    # Half of what is captured twice is logged: either half fits.
    told = found("t16_periodic", "middle", tmp_path / "a")
    assert told is not None and told.reason is not None
    assert "several offsets" in told.reason


@pytest.mark.parametrize("name", ["e_proxy_ssr", "e_proxy_nossr"])
def test_a_capture_behind_a_proxy_that_answers_for_the_phone_has_no_answer(
    name: str, tmp_path: Path
) -> None:
    folder = SETS / name
    log = folder / "modem_dl.csv.gz"
    dataset = airmile.analyze(
        folder / "server.pcap.gz", modem=log, vantage="server", out=tmp_path / "a.airmile"
    )
    (user,) = dataset.manifest["radio"]
    assert user["aligned"] is None
    assert "a proxy between tap and phone answers for it" in user["not_aligned"]
    text = " ".join(str(dataset.radio).replace("\u00a0", " ").split())
    assert "the log is not on the capture's clock: wherever the log is put in time" in text

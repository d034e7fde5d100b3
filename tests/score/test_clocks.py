"""Clocks of modem logs on recorded sets: within the uncertainty, or no estimate and a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import airmile
from tests.score import kept

OTHER_RANGES = re.compile(r"several offsets \(.*: the traffic repeats itself|less than two seconds")


@pytest.mark.parametrize("clock", kept.LIKELY_CLOCKS)
@pytest.mark.parametrize("folder", kept.CLOCK_SETS, ids=lambda folder: folder.name)
def test_a_likely_clock_is_found(folder: Path, clock: str) -> None:
    shown = kept.aligned(folder, clock)
    assert shown is not None
    assert shown.holds, shown


@pytest.mark.parametrize("clock", kept.OTHER_CLOCKS)
def test_any_clock_is_within_its_uncertainty_or_has_no_estimate(clock: str) -> None:
    shown = [each for folder in kept.CLOCK_SETS if (each := kept.aligned(folder, clock))]
    for each in shown:
        assert each.holds or OTHER_RANGES.search(each.reason or ""), each
    assert any(each.holds for each in shown)


def test_two_equal_files_in_a_log_of_one_have_no_answer() -> None:
    # The log covers half of a capture that repeats itself, so either half fits.
    shown = kept.aligned(kept.EMU / "t16_periodic", "middle")
    assert shown is not None and shown.reason is not None
    assert "several offsets" in shown.reason


@pytest.mark.parametrize("name", ["e_proxy_ssr", "e_proxy_nossr"])
def test_a_capture_behind_a_proxy_that_answers_for_the_phone_has_no_answer(
    name: str, tmp_path: Path
) -> None:
    folder = kept.EMU / name
    log = folder / "modem_dl.csv.gz"
    dataset = airmile.analyze(
        folder / "server.pcap.gz", modem=log, vantage="server", out=tmp_path / "a.airmile"
    )
    (user,) = dataset.manifest["radio"]
    assert user["aligned"] is None
    assert "a proxy between capture point and phone answers for it" in user["not_aligned"]
    text = " ".join(str(dataset.radio).replace("\u00a0", " ").split())
    assert "the log is not on the capture's clock: wherever the log is put in time" in text

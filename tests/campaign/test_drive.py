"""The drive of HWY18 hands over as rarely as a phone on a road, and meets all kinds of radio."""

from __future__ import annotations

import pytest

from airmile.testbed import Download
from tests.campaign import drive


@pytest.fixture(scope="module")
def found() -> list[Download]:
    return drive.downloads(240)


def test_few_downloads_have_two_handovers_or_more(found: list[Download]) -> None:
    # The paper has 35 % and below 4 %. Of 240 downloads, 4 % are 10 with a deviation of 3.
    assert 0.3 < drive.share(found, 1) < 0.55
    assert drive.share(found, 2) < 0.04 + 3 * 3 / 240


def test_the_mean_sinr_of_downloads_spreads_over_30_db(found: list[Download]) -> None:
    low, *_, high = drive.levels([one.sinr_db for one in found if one.sinr_db is not None])
    assert low < 6
    assert high > 25
    assert all(one.seconds is not None for one in found)


def test_what_is_printed_stands_beside_the_paper(found: list[Download]) -> None:
    head, *rows = drive.lines(found)
    assert head.startswith("240 downloads")
    assert all("paper: " in row for row in rows)

"""The verdict over the selection of everyday runs that is kept with the project.

Each cause has a least recall and a least precision, weighted by time over all of the selection.
They are what was reached last, rounded down: they are only ever raised, to 0.9 and 0.95.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.everyday.analysed import analyse
from tests.everyday.scoring import tally_of
from tests.everyday.selection import KEPT, SELECTED, Selected
from tests.recorded.tally import Tally

LEAST: Mapping[str, tuple[float, float]] = {
    "handshake_dns": (0.99, 0.99),
    "idle": (0.99, 0.99),
    "link": (0.82, 0.98),
    "receive_window": (0.99, 0.96),
    "receiver_app": (0.99, 0.99),
    "round_trip": (0.98, 0.97),
    "sender_app": (0.96, 0.97),
    "window_growth": (0.93, 0.78),
}
"""Recall and precision per cause."""

MOST_UNDETERMINED = 0.05
"""Of the time in which something is going on."""


def tally(selected: Selected) -> Tally:
    """Score one capture of the selection, analysed as nearly everybody does: by its name alone."""
    folder = KEPT / selected.name
    said = analyse(folder / f"{selected.tap}.pcap.gz")
    return tally_of(folder, selected.tap, said)


@pytest.fixture(scope="module")
def total() -> Tally:
    return sum(map(tally, SELECTED), Tally())


@pytest.mark.parametrize("cause", LEAST)
def test_no_cause_is_told_worse_than_it_was(total: Tally, cause: str) -> None:
    recall, precision = total.recall(cause), total.precision(cause)
    least_recall, least_precision = LEAST[cause]
    assert recall is not None and recall >= least_recall
    assert precision is None or precision >= least_precision


def test_little_stays_undetermined(total: Tally) -> None:
    assert total.undetermined <= MOST_UNDETERMINED

"""The verdict over the selection of physics runs that is kept with the project.

Each label has a least recall and each class of causes a least precision, weighted by time over all
of the selection, and each figure a least or a largest share. They are what was reached last,
rounded down: they are only ever raised. ``python -m tests.physics --kept`` prints what is reached.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from airmile.testbed.scoring.pairs import Compared
from tests.physics.figures import Share
from tests.physics.scoring import EVERY, Scored, score_kept
from tests.physics.selection import KEPT

LEAST_RECALL: Mapping[str, float] = {
    "acks_blocked": 0.79,
    "cwnd_or_path": 0.78,
    "idle_or_app": 0.97,
    "link": 0.96,
    "lost_tail": 0.59,
    "mixed_link_cwnd": 0.96,
    "recovery": 0.75,
    "rwnd": 0.97,
}
"""By label."""

LEAST_PRECISION: Mapping[str, float] = {
    "link": 0.97,
    "loss_recovery": 0.73,
    "receive_window": 0.99,
    "round_trip": 0.98,
    "sender_app": 0.79,
    "window_growth": 0.87,
}
"""By class of causes."""

MOST_UNDETERMINED = 0.01
"""Of the time in which something is going on."""

LEAST_SHARE: Mapping[tuple[str, str], float] = {
    ("queue 10ms", "a full link is called so"): 0.76,
    ("queue 20ms", "a full link is called so"): 0.88,
    ("queue codel", "a full link is called so"): 0.96,
    (EVERY, "right in the first half second"): 0.83,
}

MOST_SHARE: Mapping[tuple[str, str], float] = {
    ("window same rate", "another limit is called link"): 0.02,
    ("cwnd same rate", "another limit is called link"): 0.03,
    ("pacing same rate", "another limit is called link"): 0.01,
    (EVERY, "no loss is called loss"): 0.012,
}


@pytest.fixture(scope="module")
def scored() -> Scored:
    return score_kept(KEPT)


@pytest.mark.parametrize("label", LEAST_RECALL)
def test_no_label_is_recognised_worse_than_it_was(scored: Scored, label: str) -> None:
    recall = scored.every.recall(label)
    assert recall is not None and recall >= LEAST_RECALL[label]


@pytest.mark.parametrize("cause", LEAST_PRECISION)
def test_no_cause_is_told_more_wrongly_than_it_was(scored: Scored, cause: str) -> None:
    precision = scored.every.precision(cause)
    assert precision is not None and precision >= LEAST_PRECISION[cause]


def test_little_stays_undetermined(scored: Scored) -> None:
    assert scored.every.undetermined <= MOST_UNDETERMINED


@pytest.mark.parametrize("which", [*LEAST_SHARE, *MOST_SHARE])
def test_no_share_is_worse_than_it_was(scored: Scored, which: tuple[str, str]) -> None:
    figure = scored.figures[which]
    assert isinstance(figure, Share) and figure.whole_ns
    share = figure.part_ns / figure.whole_ns
    assert LEAST_SHARE.get(which, 0.0) <= share <= MOST_SHARE.get(which, 1.0)


LEAST_PROMOTIONS, MOST_MS = 8, 15
"""Of the openings that woke the radio, and how far a delay may be off."""


def test_promotions_are_told_and_none_is_invented(scored: Scored) -> None:
    delays, others = (
        scored.figures["silence", what] for what in ("promotion delay", "no promotion")
    )
    assert isinstance(delays, Compared) and isinstance(others, Compared)
    assert len(delays.pairs) == len(delays.told) >= LEAST_PROMOTIONS
    assert max(delays.errors, default=0) <= MOST_MS
    assert others.right == len(others.pairs)

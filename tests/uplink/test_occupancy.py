"""The queue of the firmware, compared with a queue that is tracked event by event."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from airmile.uplink.curve import Curve
from airmile.uplink.occupancy import UNKNOWN, Occupancy, Reports, occupancy

STEPS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), max_size=25)
LEVELS = st.tuples(st.integers(0, 12), st.one_of(st.none(), st.integers(0, 6)))
REPORTS = st.lists(st.tuples(st.integers(0, 20), LEVELS), max_size=12, unique_by=lambda r: r[0])

Steps = list[tuple[int, int]]
Said = list[tuple[int, tuple[int, int | None]]]


def reports(said: Said) -> Reports:
    """Return the bounds of each report's level; the top level has no upper bound."""
    said = sorted(said)
    low = [least for _, (least, _) in said]
    high = [UNKNOWN if more is None else least + more for _, (least, more) in said]
    times = [at for at, _ in said]
    return Reports(*(np.array(each, np.int64) for each in (times, low, high)))


def worked_out(came: Steps, taken: Steps, said: Said) -> Occupancy:
    return occupancy(curve(came), curve(taken), reports(said))


def curve(steps: Steps) -> Curve:
    return Curve.of([t for t, _ in steps], [n for _, n in steps])


def kept(came: Steps, taken: Steps, said: Said, until: int) -> tuple[int, int]:
    """Track the bounds of the queue up to a time, one event after the other."""
    low = high = UNKNOWN
    for now in range(until + 1):
        for change in [n for t, n in came if t == now] + [-n for t, n in taken if t == now]:
            if low != UNKNOWN:
                low, high = max(low + change, 0), max(high + change, 0)
        for at, (least, more) in said:
            if at != now or more is None:
                continue
            most = least + more
            if low == UNKNOWN or max(low, least) > min(high, most):
                low, high = least, most
            else:
                low, high = max(low, least), min(high, most)
    return low, high


@given(STEPS, STEPS, REPORTS)
def test_bounds_are_those_of_a_queue_that_is_kept_by_hand(
    came: Steps, taken: Steps, said: Said
) -> None:
    found = worked_out(came, taken, said)
    instants = np.arange(22)
    low, high = found.at(instants)
    expected = [kept(came, taken, said, until) for until in range(22)]
    assert list(zip(low.tolist(), high.tolist(), strict=True)) == expected


@given(STEPS, STEPS, REPORTS)
def test_a_packet_leaves_when_grants_have_taken_what_waited(
    came: Steps, taken: Steps, said: Said
) -> None:
    found = worked_out(came, taken, said)
    _, shortest, longest = found.delay_ms(np.arange(22))
    for now in range(22):
        bounds = kept(came, taken, said, now)
        for queued, shown in zip(bounds, (shortest[now], longest[now]), strict=True):
            assert leaves(taken, now, queued) == (None if np.isnan(shown) else round(shown * 1e6))


def leaves(taken: Steps, now: int, queued: int) -> int | None:
    """Return the time until grants after an instant have taken an amount."""
    if queued == UNKNOWN:
        return None
    if queued == 0:
        return 0
    for at in range(now + 1, 21):
        queued -= sum(n for t, n in taken if t == at)
        if queued <= 0:
            return at - now
    return None


def test_a_report_that_contradicts_the_curves_is_counted_and_believed() -> None:
    found = worked_out([(1, 5)], [(2, 5)], [(0, (0, 0)), (3, (4, 0)), (4, (0, 9))])
    assert found.contradicted == 1
    assert [each.tolist() for each in found.at(np.array([2, 3, 4]))] == [[0, 4, 4], [0, 4, 4]]

"""Compares the time for which the radio was on with the truth of the link."""

from __future__ import annotations

import pyarrow.compute as pc

from airmile.answers import radio_on
from airmile.store._needs import Missing
from airmile.testbed.scoring.pairs import Case, Compared, Pair

_NONE = Compared((), "ratio")

_TRUTH = """
SELECT sum((next_ns - time_ns) / 1e9 - value / 1e3) AS on_s
FROM (SELECT *, lead(time_ns, 1, {last_ns}) OVER (ORDER BY time_ns) AS next_ns
      FROM truth_events WHERE event IN ('rrc_promotion', 'rrc_idle') AND time_ns < {last_ns})
WHERE event = 'rrc_promotion'"""
"""The time from the end of each promotion until the radio went idle, or to the last packet."""


def compare_run(case: Case) -> Compared:
    """Compare the radio-on time until the last packet, computed with the tail that the data show.

    The tail is the middle of the interval that the data give (methods F3). There is no case without
    a promotion, or while the data bound the tail only from below.
    """
    try:
        tail = radio_on.tail(case.said)
    except Missing:
        return _NONE
    if tail.high_s is None:
        return _NONE
    last_ns = case.said.records("SELECT max(end_ns) AS last_ns FROM sessions")[0]["last_ns"]
    truth_s = case.truth.records(_TRUTH.format(last_ns=last_ns))[0]["on_s"]
    rows = radio_on.of_tail(case.said, tail)
    if truth_s is None or rows.num_rows != 1:
        return _NONE
    low_s, high_s = (pc.sum(rows[f"radio_on_{end}_s"]).as_py() for end in ("low", "high"))
    said_s = (low_s - tail.low_s + high_s - tail.high_s) / 2
    return Compared((Pair(said_s, truth_s),), "ratio")

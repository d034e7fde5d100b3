"""Compares the promotion delays that airmile gives with those of the link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from airmile.testbed.scoring.pairs import Case, Compared, Pair

_SLACK_NS = 150_000_000
"""The longest time from the end of a promotion until its packet passes the monitor, in ns."""


def promotions(case: Case) -> Compared:
    """Compare the delay of each flow whose SYN woke the radio with the link's promotion.

    A delay that airmile calls doubtful is no promotion. Promotions whose silence began before the
    capture do not count, because airmile cannot see them (methods B2). A delay that airmile reports
    while the radio was awake counts with a true delay of 0.
    """
    flows = case.said.arrow(
        """SELECT start_ns AS passed_ns, promotion_reason = 'silence_unknown' AS untellable,
                  CASE WHEN NOT promotion_doubtful THEN promotion_delay_ms END AS said_ms
           FROM flows WHERE protocol = 'tcp' AND initiator = 'ue' ORDER BY start_ns"""
    ).to_pylist()
    return _compare(case, flows)


def promotion_slices(case: Case) -> Compared:
    """Compare the promotions in slices, which include those before later requests."""
    requests = case.said.arrow(
        """SELECT r.passed_ns, max((s.end_ns - s.start_ns) / 1e6) AS said_ms,
                  r.passed_ns - r.seen_ns < 1e6 AS untellable
           FROM (SELECT uid, start_ns AS passed_ns, (SELECT min(start_ns) FROM flows) AS seen_ns
                 FROM flows WHERE protocol = 'tcp' AND initiator = 'ue'
                 UNION
                 SELECT uid, request_ns, (SELECT min(start_ns) FROM flows) FROM transfers) r
           LEFT JOIN slices s ON s.cause = 'promotion_delay' AND s.uid = r.uid
                             AND s.end_ns = r.passed_ns
           GROUP BY r.uid, r.passed_ns, r.seen_ns ORDER BY r.passed_ns"""
    ).to_pylist()
    return _compare(case, requests)


def _compare(case: Case, openings: Sequence[Mapping[str, Any]]) -> Compared:
    """Pair each promotion with the link's event, and each delay without a promotion with 0."""
    events = case.truth.arrow(
        "SELECT time_ns, value FROM truth_events WHERE event = 'rrc_promotion' ORDER BY time_ns"
    ).to_pylist()
    pairs: list[Pair] = []
    woken: set[int] = set()
    for event in events:
        until = event["time_ns"] + int(event["value"] * 1e6) + _SLACK_NS
        woke = [o for o in openings if event["time_ns"] <= o["passed_ns"] <= until]
        woken.update(opening["passed_ns"] for opening in woke)
        if woke and not woke[0]["untellable"]:
            pairs.append(Pair(woke[0]["said_ms"], event["value"]))
    invented = (o for o in openings if o["said_ms"] is not None and o["passed_ns"] not in woken)
    pairs.extend(Pair(opening["said_ms"], 0.0) for opening in invented)
    return Compared(tuple(pairs), "ms")

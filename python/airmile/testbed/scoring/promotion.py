"""Promotion delays against the link's own."""

from __future__ import annotations

from airmile.testbed.scoring.pairs import Case, Compared, Pair

_SLACK_NS = 150_000_000
"""From the end of a promotion until its packet has certainly passed the monitor."""


def promotions(case: Case) -> Compared:
    """Compare the delay of each flow whose SYN woke the radio with the link's event.

    Which promotions airmile tells is its own affair (methods B2: the phone must have been silent
    for longer than any tail, with the capture running): those that it could have told count.
    """
    flows = case.said.sql(
        "SELECT start_ns, promotion_delay_ms, handshake_after_idle FROM flows "
        "WHERE protocol = 'tcp' AND initiator = 'ue' ORDER BY start_ns"
    ).to_pylist()
    events = case.truth.sql(
        "SELECT time_ns, value FROM truth_events WHERE event = 'rrc_promotion' ORDER BY time_ns"
    ).to_pylist()
    pairs = []
    for event in events:
        until = event["time_ns"] + int(event["value"] * 1e6) + _SLACK_NS
        woke = [f for f in flows if event["time_ns"] <= f["start_ns"] <= until]
        if woke and woke[0]["handshake_after_idle"]:
            pairs.append(Pair(woke[0]["promotion_delay_ms"], event["value"]))
    return Compared(tuple(pairs), "ms")

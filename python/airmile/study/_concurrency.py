"""How many TCP flows of a phone are active at a time, by the rules of two papers (methods A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import has, source

if TYPE_CHECKING:
    from airmile.dataset import Dataset

GAP_NS = 1_000_000_000
"""How long a flow stays active after its last payload, and the length of a slot."""


def exact_times(dataset: Dataset) -> str:
    """Return SQL with the seconds by number of flows active: 1 s after each downlink payload."""
    return f"""(
        WITH span AS (
            SELECT run, ue, start_ns, end_ns + {GAP_NS} AS end_ns
            FROM {_spans(dataset)} WHERE direction = 'downlink'),
        change AS (
            SELECT run, ue, start_ns AS time_ns, 1 AS step FROM span
            UNION ALL SELECT run, ue, end_ns, -1 FROM span),
        moment AS (SELECT run, ue, time_ns, sum(step) AS step FROM change GROUP BY ALL),
        stretch AS (
            SELECT sum(step) OVER each AS flows, lead(time_ns) OVER each - time_ns AS ns
            FROM moment WINDOW each AS (PARTITION BY run, ue ORDER BY time_ns))
        SELECT flows::BIGINT AS flows, sum(ns) / 1e9 AS seconds
        FROM stretch WHERE flows > 0 AND ns > 0 GROUP BY flows)"""


def slots(dataset: Dataset) -> str:
    """Return SQL with the slots of 1 s of all sessions by their flows with payload, either way.

    Slots count from a session's first packet to its last; those without payload have 0 flows. A
    flow may outlive its session: a span is of the first session of the phone that ends after it
    began.
    """
    sessions = source(dataset, "sessions", "session_id", "ue", "start_ns", "end_ns")
    return f"""(
        WITH session AS (
            SELECT run, session_id, ue, start_ns AS from_ns, end_ns AS until_ns,
                (end_ns - start_ns) // {GAP_NS} + 1 AS slots
            FROM {sessions}),
        touched AS (
            SELECT DISTINCT session.run, session_id, uid, unnest(range(
                greatest(start_ns - from_ns, 0) // {GAP_NS},
                greatest(end_ns - from_ns, 0) // {GAP_NS} + 1)) AS slot
            FROM {_spans(dataset)} AS span ASOF JOIN session
                ON span.run = session.run AND span.ue = session.ue AND start_ns <= until_ns),
        busy AS (
            SELECT run, session_id, slot, count(*) AS flows FROM touched GROUP BY ALL),
        counted AS (
            SELECT flows, count(*) AS slots FROM busy GROUP BY flows
            UNION ALL
            SELECT 0, (SELECT sum(slots) FROM session) - (SELECT count(*) FROM busy))
        SELECT flows::BIGINT AS flows, slots::BIGINT AS slots FROM counted WHERE slots > 0)"""


def _spans(dataset: Dataset) -> str:
    """Return SQL with the spans by phone: that of the session in which the flow began.

    The flows of a phone with IPv4 and IPv6 have two addresses, and one session.
    """
    spans = source(dataset, "active_spans", "uid", "direction", "start_ns", "end_ns")
    flows = source(dataset, "flows", "uid", "ue", "session_id")
    if not has(dataset, "sessions"):
        phones = "SELECT NULL AS run, NULL AS session_id, NULL AS ue LIMIT 0"
    else:
        phones = (
            f"SELECT run, session_id, ue FROM {source(dataset, 'sessions', 'session_id', 'ue')}"
        )
    return f"""(
        SELECT run, coalesce(phones.ue, flows.ue) AS ue, uid, direction,
            spans.start_ns, spans.end_ns
        FROM {spans} AS spans JOIN {flows} AS flows USING (run, uid)
        LEFT JOIN ({phones}) AS phones USING (run, session_id))"""

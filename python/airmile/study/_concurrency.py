"""How many TCP flows of a phone are active at a time, by the rules of two papers (methods A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import source

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

    Slots count from a session's first packet to its last; those without payload have 0 flows.
    """
    sessions = source(dataset, "sessions", "session_id", "start_ns", "end_ns")
    return f"""(
        WITH session AS (
            SELECT run, session_id, start_ns AS from_ns,
                (end_ns - start_ns) // {GAP_NS} + 1 AS slots
            FROM {sessions}),
        touched AS (
            SELECT DISTINCT run, session_id, uid, unnest(range(
                (start_ns - from_ns) // {GAP_NS}, (end_ns - from_ns) // {GAP_NS} + 1)) AS slot
            FROM {_spans(dataset)} JOIN session USING (run, session_id)),
        busy AS (
            SELECT run, session_id, slot, count(*) AS flows FROM touched
            SEMI JOIN session USING (run, session_id) GROUP BY ALL),
        counted AS (
            SELECT flows, count(*) AS slots FROM busy GROUP BY flows
            UNION ALL
            SELECT 0, (SELECT sum(slots) FROM session) - (SELECT count(*) FROM busy))
        SELECT flows::BIGINT AS flows, slots::BIGINT AS slots FROM counted WHERE slots > 0)"""


def _spans(dataset: Dataset) -> str:
    spans = source(dataset, "active_spans", "uid", "direction", "start_ns", "end_ns")
    flows = source(dataset, "flows", "uid", "ue", "session_id")
    return f"""(
        SELECT run, ue, session_id, uid, direction, spans.start_ns, spans.end_ns
        FROM {spans} AS spans JOIN {flows} AS flows USING (run, uid))"""

"""How many TCP flows of a phone are active at the same time, by two papers' rules (methods A8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airmile.store._needs import contains, source

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

GAP_NS = 1_000_000_000
"""How long a flow stays active after its last payload, and the length of a slot, in ns."""


def table(dataset: Tables) -> pa.Table:
    """Return the seconds of each session by the number of flows active, by either rule.

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.

    Returns
    -------
    pyarrow.Table
        ``run``, ``session_id``, ``rule``, ``flows`` and ``seconds``. By the rule ``lte13`` a flow
        is active for 1 s after each downlink packet with payload, and the seconds are exact. By
        the rule ``up16`` it is active in each slot of 1 s in which it has payload of either
        direction; slots count from the session's first packet, and those without payload have 0
        flows.

    Raises
    ------
    Missing
        The dataset has no table ``active_spans`` or ``sessions``.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import concurrency
    >>> concurrency.table(am.open("run.airmile"))  # doctest: +SKIP
    """
    return dataset.arrow(f"""
        SELECT run, session_id, 'lte13' AS rule, flows, seconds FROM {exact_times(dataset)}
        UNION ALL
        SELECT run, session_id, 'up16', flows, slots * {GAP_NS} / 1e9 FROM {slots(dataset)}
        ORDER BY run, session_id, rule, flows""")


def exact_times(dataset: Tables) -> str:
    """Return SQL for the seconds of each session by the number of flows that download.

    A flow is active for 1 s after each downlink packet with payload.
    """
    return f"""(
        WITH span AS (
            SELECT run, session_id, start_ns, end_ns + {GAP_NS} AS end_ns
            FROM {_spans(dataset)} WHERE direction = 'downlink'),
        change AS (
            SELECT run, session_id, start_ns AS time_ns, 1 AS step FROM span
            UNION ALL SELECT run, session_id, end_ns, -1 FROM span),
        moment AS (SELECT run, session_id, time_ns, sum(step) AS step FROM change GROUP BY ALL),
        stretch AS (
            SELECT run, session_id, sum(step) OVER each AS flows,
                lead(time_ns) OVER each - time_ns AS ns
            FROM moment WINDOW each AS (PARTITION BY run, session_id ORDER BY time_ns))
        SELECT run, session_id, flows::BIGINT AS flows, sum(ns) / 1e9 AS seconds
        FROM stretch WHERE flows > 0 AND ns > 0 GROUP BY ALL)"""


def slots(dataset: Tables) -> str:
    """Return SQL for the slots of 1 s of each session by the number of flows with payload.

    Slots count from the first packet of a session to its last. A slot without payload has 0 flows.
    """
    sessions = source(dataset, "sessions", "session_id", "start_ns", "end_ns")
    return f"""(
        WITH session AS (
            SELECT run, session_id, start_ns AS from_ns,
                (end_ns - start_ns) // {GAP_NS} + 1 AS slots
            FROM {sessions}),
        touched AS (
            SELECT DISTINCT run, session_id, uid, unnest(range(
                greatest(start_ns - from_ns, 0) // {GAP_NS},
                greatest(end_ns - from_ns, 0) // {GAP_NS} + 1)) AS slot
            FROM {_spans(dataset)} JOIN session USING (run, session_id)),
        busy AS (
            SELECT run, session_id, slot, count(*) AS flows FROM touched
            SEMI JOIN session USING (run, session_id) GROUP BY ALL),
        counted AS (
            SELECT run, session_id, flows, count(*) AS slots FROM busy GROUP BY ALL
            UNION ALL
            SELECT run, session_id, 0, any_value(session.slots) - count(busy.slot)
            FROM session LEFT JOIN busy USING (run, session_id) GROUP BY run, session_id)
        SELECT run, session_id, flows::BIGINT AS flows, slots::BIGINT AS slots
        FROM counted WHERE slots > 0)"""


def _spans(dataset: Tables) -> str:
    """Return SQL for the spans of payload, with the session in which each began.

    A flow may outlive its session: a span belongs to the first session of the phone that ends after
    the span began.
    """
    spans = source(dataset, "active_spans", "uid", "direction", "start_ns", "end_ns")
    flows = source(dataset, "flows", "uid", "session_id")
    joined = f"""
        SELECT run, session_id, uid, direction, spans.start_ns, spans.end_ns
        FROM {spans} AS spans JOIN {flows} AS flows USING (run, uid)"""
    if not contains(dataset, "sessions"):
        return f"({joined})"
    sessions = source(dataset, "sessions", "session_id", "ue", "end_ns")
    return f"""(
        WITH session AS (FROM {sessions}),
        span AS (
            SELECT each.*, session.ue FROM ({joined}) AS each
            LEFT JOIN session USING (run, session_id))
        SELECT span.run, coalesce(session.session_id, span.session_id) AS session_id, span.uid,
            span.direction, span.start_ns, span.end_ns
        FROM span ASOF LEFT JOIN session
            ON session.run = span.run AND session.ue = span.ue
                AND span.start_ns <= session.end_ns)"""

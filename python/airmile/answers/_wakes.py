"""SQL of when the radio of each phone had to wake up, and how long that took (methods F3)."""

from __future__ import annotations

WAKES = """
phones AS (
    SELECT session_id, sessions.start_ns,
           coalesce((sessions.start_ns - lag(end_ns) OVER phone) / 1e9, 'inf'::DOUBLE) AS before_s,
           coalesce((lead(sessions.start_ns) OVER phone - end_ns) / 1e9, 'inf'::DOUBLE) AS after_s,
           coalesce((sessions.start_ns - covered.start_ns) / 1e9, 0) AS covered_s
    FROM {sessions} AS sessions
    LEFT JOIN {coverage} AS covered USING (run, capture)
    WHERE radio_on_s IS NOT NULL
    WINDOW phone AS (PARTITION BY run, ue ORDER BY sessions.start_ns, session_id)),
own AS (FROM {flows} SEMI JOIN phones USING (session_id)),
round_trips AS (
    SELECT server, median(handshake_rtt_ms - promotion_delay_ms) AS rtt_ms
    FROM own WHERE promotion_source = 'handshake' GROUP BY server),
delays AS (
    SELECT session_id, start_ns, promotion_delay_ms AS delay_ms,
           promotion_uncertainty_ms AS uncertainty_ms
    FROM own WHERE promotion_source = 'handshake'
    UNION ALL
    SELECT session_id, start_ns, handshake_rtt_ms - rtt_ms, {spread_ms}
    FROM own JOIN round_trips USING (server) WHERE ue_idle_before_s IS NULL),
waits AS (
    SELECT session_id, start_ns AS at_ns,
           CASE WHEN delay_ms >= {floor_ms} AND delay_ms > uncertainty_ms THEN delay_ms / 1e3
                WHEN delay_ms + uncertainty_ms < {floor_ms} THEN 0 END AS wait_s
    FROM delays WHERE wait_s IS NOT NULL),
usual_wait AS (
    SELECT coalesce(min(wait_s), 0) AS least_s, coalesce(max(wait_s), 0) AS most_s
    FROM waits WHERE wait_s > 0),
activities AS (
    SELECT session_id, start_ns AS at_ns, before_s AS silence_s, covered_s, 'unknown' AS ended_by
    FROM phones
    UNION ALL BY NAME
    SELECT session_id, end_ns AS at_ns, silence_s, silence_s AS covered_s, ended_by
    FROM {silences} SEMI JOIN phones USING (session_id)),
seen AS (
    SELECT activities.* EXCLUDE (at_ns), ended_by = 'unknown' AS is_first,
           CASE WHEN waits.at_ns - activities.at_ns < {at_once_ns} THEN wait_s END AS wait_s
    FROM activities ASOF LEFT JOIN waits
        ON activities.session_id = waits.session_id AND activities.at_ns <= waits.at_ns),
wakes AS (
    SELECT session_id, covered_s, silence_s,
           is_first AND coalesce(wait_s > 0, false) AS is_shown,
           coalesce(nullif(wait_s, 0), CASE ended_by WHEN 'uplink' THEN least_s ELSE 0 END)
               AS wait_low_s,
           coalesce(nullif(wait_s, 0), CASE ended_by WHEN 'downlink' THEN 0 ELSE most_s END)
               AS wait_high_s
    FROM seen CROSS JOIN usual_wait
    WHERE NOT (is_first AND coalesce(wait_s = 0, false)))"""
"""SQL of the activities after which a radio may have had to wake up.

`wakes` has each activity's session, the silence before it and how much of that was captured,
whether a session's first packet is known to have woken the radio, and the least and the longest
time for which the packet waited. A session's first packet that found the radio awake has no row.
Only a capture at the phone has a packet before the radio carries it, and only one of
the phone: there the handshake of a flow that begins at once shows the wait. `phones` has the times
between a session and those before and after it of the same phone.
"""

AT_ONCE_NS = 50_000_000
"""A flow that begins so soon after a silence waits for the same promotion.

On a phone with 464XLAT, a packet passes as IPv4 before it passes as IPv6."""

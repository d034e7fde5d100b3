"""SQL of when the radio of each phone had to wake up, and how long that took (methods F3)."""

from __future__ import annotations

WAKES = """
phones AS (
    SELECT session_id, start_ns,
           coalesce((start_ns - lag(end_ns) OVER phone) / 1e9, 'inf'::DOUBLE) AS before_s,
           coalesce((lead(start_ns) OVER phone - end_ns) / 1e9, 'inf'::DOUBLE) AS after_s
    FROM {sessions} WHERE radio_on_s IS NOT NULL
    WINDOW phone AS (PARTITION BY ue ORDER BY start_ns, session_id)),
waits AS (
    SELECT session_id, start_ns AS at_ns, promotion_delay_ms / 1e3 AS wait_s
    FROM {flows} SEMI JOIN phones USING (session_id)
    WHERE NOT promotion_doubtful AND promotion_source = 'handshake'),
usual_wait AS (
    SELECT coalesce(min(wait_s), 0) AS least_s, coalesce(max(wait_s), 0) AS most_s FROM waits),
activities AS (
    SELECT session_id, start_ns AS at_ns, before_s AS silence_s, 'unknown' AS ended_by FROM phones
    UNION ALL BY NAME
    SELECT session_id, end_ns AS at_ns, silence_s, ended_by
    FROM {silences} SEMI JOIN phones USING (session_id)),
seen AS (
    SELECT activities.session_id, silence_s, ended_by,
           CASE WHEN waits.at_ns - activities.at_ns < {at_once_ns} THEN wait_s END AS wait_s
    FROM activities ASOF LEFT JOIN waits
        ON activities.session_id = waits.session_id AND activities.at_ns <= waits.at_ns),
wakes AS (
    SELECT session_id, silence_s,
           coalesce(wait_s, CASE ended_by WHEN 'uplink' THEN least_s ELSE 0 END) AS wait_low_s,
           coalesce(wait_s, CASE ended_by WHEN 'downlink' THEN 0 ELSE most_s END) AS wait_high_s
    FROM seen CROSS JOIN usual_wait)"""
"""SQL of the activities after which a radio may have had to wake up.

`wakes` has each activity's session, the silence before it, and the least and the longest time for
which its first packet waited for the radio. Only a capture at the phone has a packet before the
radio carries it, and only one of the phone: there the handshake of a flow that begins at once shows
the wait. It is unknown what woke the radio before a session's first packet, so this may not have
waited.
`phones` has the times between a session and those before and after it of the same phone.
"""

AT_ONCE_NS = 50_000_000
"""A flow that begins so soon after a silence waits for the same promotion.

On a phone with 464XLAT, a packet passes as IPv4 before it passes as IPv6."""

"""Limits of the sums from which a verdict is computed."""

from __future__ import annotations

SCHEMA = 6
"""The shape of `verdict` in the manifest that this version reads."""

FLOWS = 20
"""The number of flows, the heaviest and the slowest, for which sums are kept."""

WINDOWS = 4
"""The most windows with a bandwidth sample that are counted."""

LEAST_RATE_BYTES = 14_600
"""A rate needs ten segments of 1460 bytes: an initial window is sent at once (RFC 6928)."""

UNKNOWN_RTT_MS = 100.0
"""The round trip in ms that decides whether a slice gives a rate, if none was measured."""

FAILED = (
    *("unanswered", "refused"),
    *("lookup_unanswered", "lookup_repeated", "no_such_name", "lookup_failed"),
)
"""The kinds of connections that never opened, and of look-ups that failed or were repeated."""

CASES = 3
"""The number of failures of a kind that are named."""

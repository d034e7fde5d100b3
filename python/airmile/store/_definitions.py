"""Definitions of the methods as SQL conditions, each written once for every query that uses it."""

from __future__ import annotations

USER_DATA = "rnti IN ('c', 'sps')"
"""The condition on `ttis` of blocks that carry data of the user (methods G2).

Paging, system information and random access have the `rnti` other.
"""

LARGE_BYTES = 1_000_000
"""Bytes from which a flow or a transfer shows what a link can carry (methods T5)."""

LARGE_S = 5.0
"""Data transfer time of a large flow in seconds (methods T5)."""

LARGE_SIZE = f"{LARGE_BYTES / 1e6:g} MB"
"""`LARGE_BYTES` in words."""

LARGE = f"{LARGE_S:g} s and {LARGE_SIZE}"
"""What a large flow exceeds, in words."""


def large_flow(size: str, duration_s: str) -> str:
    """Return the SQL condition of a large flow (methods T5), from the SQL of its two quantities.

    >>> large_flow("bytes", "span_s")
    'bytes > 1000000 AND span_s > 5.0'
    """
    return f"{size} > {LARGE_BYTES} AND {duration_s} > {LARGE_S}"

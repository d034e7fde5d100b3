"""Definitions of the methods as SQL conditions, shared by all queries that use them."""

from __future__ import annotations

USER_DATA = "rnti IN ('c', 'sps')"
"""The condition on `ttis` for blocks that carry data of the user (methods G2).

Blocks of paging, system information and random access have another `rnti`.
"""

LARGE_BYTES = 1_000_000
"""The payload in bytes above which a flow or transfer is large (methods T5)."""

LARGE_S = 5.0
"""The data transfer time in seconds above which a flow is large (methods T5)."""

LARGE_SIZE = f"{LARGE_BYTES / 1e6:g} MB"
"""`LARGE_BYTES` as text."""

LARGE = f"{LARGE_S:g} s and {LARGE_SIZE}"
"""The limits of a large flow as text."""


def large_flow(size: str, duration_s: str) -> str:
    """Return the SQL condition for a large flow (methods T5), given SQL of size and duration.

    >>> large_flow("bytes", "span_s")
    'bytes > 1000000 AND span_s > 5.0'
    """
    return f"{size} > {LARGE_BYTES} AND {duration_s} > {LARGE_S}"

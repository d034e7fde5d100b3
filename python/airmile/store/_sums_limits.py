"""Limits of the sums of a verdict."""

from __future__ import annotations

FLOWS = 20
"""The number of flows, the heaviest and the slowest, with sums of their own."""

WINDOWS = 4
"""Windows with a bandwidth sample are counted up to this number."""

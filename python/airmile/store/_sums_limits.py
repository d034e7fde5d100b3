"""Limits of the sums from which a verdict is computed."""

from __future__ import annotations

FLOWS = 20
"""The number of flows, the heaviest and the slowest, for which sums are kept."""

WINDOWS = 4
"""The most windows with a bandwidth sample that are counted."""

"""How much of the flows and of the samples the sums keep."""

from __future__ import annotations

FLOWS = 20
"""Flows, the heaviest and the slowest, of which more is kept than their shares."""

WINDOWS = 4
"""Windows with a sample of the bandwidth are counted up to this number."""

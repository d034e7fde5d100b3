"""How much of the flows and of the samples the sums keep."""

from __future__ import annotations

FLOWS = 20
"""Of so many flows, the heaviest and the slowest, more is told than their shares."""

WINDOWS = 4
"""Windows with a sample of the bandwidth are counted up to so many."""

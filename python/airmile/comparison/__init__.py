"""Compares groups of measurements: how much they differ, and whether the data show it (I3)."""

from airmile.comparison._compare import compare
from airmile.comparison.result import Comparison, Result

__all__ = ["Comparison", "Result", "compare"]

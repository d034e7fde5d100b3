"""Comparison of groups of measurements (methods I3)."""

from airmile.comparison._compare import compare
from airmile.comparison.result import Comparison, Result

__all__ = ["Comparison", "Result", "compare"]

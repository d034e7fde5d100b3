"""Compares groups of measurements: how much they differ, and whether the data show it (I3)."""

from airmile.comparison._compare import compare
from airmile.comparison._results import Result
from airmile.comparison.result import Comparison

__all__ = ["Comparison", "Result", "compare"]

"""Huang et al., "An In-depth Study of LTE", SIGCOMM 2013: its figures, tables and numbers.

Figures 1, 4, 9 and 17 explain a method, 11 and 12 are figure 10 of other datasets.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""

"""Huang et al., "An In-depth Study of LTE", SIGCOMM 2013: its figures, tables and numbers.

Figures 1, 4, 9 and 17 explain a method, 11 and 12 are figure 10 of other datasets.
"""

from airmile.study._exhibit import Exhibit
from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""


def __getattr__(name: str) -> Exhibit:
    """Return an exhibit by its name."""
    if name in EXHIBITS:
        return EXHIBITS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

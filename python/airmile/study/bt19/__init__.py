"""Balasingam et al., "Detecting if LTE is the Bottleneck with BurstTracker", MobiCom 2019.

Figures 1 and 2 show an introduction and a concept, 9b and 9c what a video player logged: they are
not here.
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

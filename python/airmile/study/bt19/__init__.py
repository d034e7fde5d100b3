"""Balasingam et al., "Detecting if LTE is the Bottleneck with BurstTracker", MobiCom 2019.

Figures 1 and 2, which illustrate concepts, and 9b and 9c, which need a video player's log, are not
reproduced.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""

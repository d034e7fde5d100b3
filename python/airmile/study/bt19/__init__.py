"""Balasingam et al., "Detecting if LTE is the Bottleneck with BurstTracker", MobiCom 2019.

Figure 2, which illustrates concepts, is not reproduced. Figures 9b and 9c need a video that the
testbed played.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""The exhibits by name, in the order of the paper; each is a module of this package."""

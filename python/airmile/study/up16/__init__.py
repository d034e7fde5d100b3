"""Guo et al., "Understanding On-device Bufferbloat for Cellular Upload", IMC 2016.

Figures 7 and 9 need a capture on the phone: it is taken between Qdisc and modem. Figure 6, which
explains the buffers, is not reproduced.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""The exhibits by name, in the order of the paper; each is a module of this package."""

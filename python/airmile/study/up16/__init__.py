"""Guo et al., "Understanding On-device Bufferbloat for Cellular Upload", IMC 2016.

Figures 7 and 9 need a capture on the phone, which lies between Qdisc and modem; figure 6 explains
the buffers.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""

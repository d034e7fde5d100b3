"""Guo et al., "Understanding On-device Bufferbloat for Cellular Upload", IMC 2016: figures 7 and 9.

They need a capture on the phone, which is between Qdisc and modem.
"""

from airmile.study.up16.fig7_round_trips import fig7
from airmile.study.up16.fig9_on_device_delay import fig9

__all__ = ["EXHIBITS", "fig7", "fig9"]

EXHIBITS = {exhibit.name: exhibit for exhibit in (fig7, fig9)}
"""The exhibits by name, in the order of the paper."""

"""Li et al., "TCP CUBIC versus BBR on the Highway", PAM 2018: the figures that need the radio.

Trials are downloads of 1 MB or more (20 MB in the paper). Each figure distinguishes congestion
controls where the dataset contains them, which is in testbed runs.
"""

from airmile.study.hwy18.fig3_sinr import fig3
from airmile.study.hwy18.fig4_modulation import fig4
from airmile.study.hwy18.fig9_throughput_by_sinr import fig9
from airmile.study.hwy18.fig10_towers import fig10
from airmile.study.hwy18.fig11_throughput_by_handovers import fig11

__all__ = ["EXHIBITS", "fig3", "fig4", "fig9", "fig10", "fig11"]

EXHIBITS = {exhibit.name: exhibit for exhibit in (fig3, fig4, fig9, fig10, fig11)}
"""The exhibits by name, in the order of the paper."""

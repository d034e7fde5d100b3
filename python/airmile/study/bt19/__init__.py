"""Balasingam et al., "Detecting if LTE is the Bottleneck with BurstTracker", MobiCom 2019.

Figures 1 and 2 show an introduction and a concept, 9b and 9c what a video player logged: they are
not here.
"""

from airmile.study.bt19.fig3_allocation import fig3
from airmile.study.bt19.fig4_prb_share import fig4
from airmile.study.bt19.fig5_active_prbs import fig5
from airmile.study.bt19.fig6_link_demand import fig6

__all__ = ["EXHIBITS", "fig3", "fig4", "fig5", "fig6"]

EXHIBITS = {exhibit.name: exhibit for exhibit in (fig3, fig4, fig5, fig6)}
"""By name, in the order of the paper."""

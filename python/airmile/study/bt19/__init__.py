"""Balasingam et al., "Detecting if LTE is the Bottleneck with BurstTracker", MobiCom 2019.

Figures 1 and 2, which illustrate concepts, and 9b and 9c, which need a video player's log, are not
reproduced.
"""

from airmile.study.bt19.fig3_allocation import fig3
from airmile.study.bt19.fig4_prb_share import fig4
from airmile.study.bt19.fig5_active_prbs import fig5
from airmile.study.bt19.fig6_link_demand import fig6
from airmile.study.bt19.fig7_burst_growth import fig7
from airmile.study.bt19.fig7b_segment import fig7b
from airmile.study.bt19.fig8_restart_by_port import fig8
from airmile.study.bt19.fig9_port_demand import fig9
from airmile.study.bt19.table1_errors import table1

__all__ = [
    "EXHIBITS", "fig3", "fig4", "fig5", "fig6", "fig7", "fig7b", "fig8", "fig9", "table1",
]  # fmt: skip

EXHIBITS = {
    exhibit.name: exhibit for exhibit in (fig3, fig4, fig5, table1, fig6, fig7, fig7b, fig8, fig9)
}
"""The exhibits by name, in the order of the paper."""

"""Garcia et al., "A Measurement Based Study of TCP Protocol Efficiency in Cellular Networks", 2014.

These exhibits use :mod:`airmile.model` and take its inputs: a dataset, a CSV file, or published
names; ``"eff14"`` means the paper's 3.5G and 4G. `fig6b` is ours. Figures 1 and 4, which show
completion times of testbed runs, are not reproduced.

Examples
--------
>>> figure, table = fig5("eff14")
>>> [finding.here for finding in fig5.findings(table)][-1]
'at every size'
"""

from airmile.study.eff14._sources import read
from airmile.study.eff14.fig2_densities_35g import fig2
from airmile.study.eff14.fig3_densities_4g import fig3
from airmile.study.eff14.fig5_alone import fig5
from airmile.study.eff14.fig6_background import fig6
from airmile.study.eff14.fig6b_loaded_rtt import fig6b
from airmile.study.eff14.table1_studies import table1

__all__ = ["EXHIBITS", "fig2", "fig3", "fig5", "fig6", "fig6b", "read", "table1"]

EXHIBITS = {exhibit.name: exhibit for exhibit in (table1, fig2, fig3, fig5, fig6, fig6b)}
"""The exhibits by name, in the order of the paper."""

"""Garcia et al., "A Measurement Based Study of TCP Protocol Efficiency in Cellular Networks", 2014.

These exhibits use :mod:`airmile.model` and take its inputs: a dataset, a CSV file, or published
names; ``"eff14"`` means the paper's 3.5G and 4G. Figures 1 and 4 and `model` take runs of the
testbed. `fig6b` and `model` are ours.

Examples
--------
>>> from airmile.study import eff14
>>> figure, table = eff14.fig5("eff14")
>>> [finding.here for finding in eff14.fig5.findings(table)][-1]
'at every size'
"""

from airmile.study._listed import listed
from airmile.study.eff14._sources import read

__all__ = ["EXHIBITS", "read"]

EXHIBITS, __getattr__ = listed(__name__)
"""The exhibits by name, in the order of the paper; each is a module of this package."""

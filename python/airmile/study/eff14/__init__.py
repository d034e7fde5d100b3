"""Garcia et al., "A Measurement Based Study of TCP Protocol Efficiency in Cellular Networks", 2014.

These exhibits stand on :mod:`airmile.model` and take what it draws from: a dataset, a CSV file, or
published names; ``"eff14"`` is the paper's 3.5G and 4G. `fig6b` is ours. Figures 1 and 4 are of
runs and their completion times, which take a testbed: they are not here.

Examples
--------
>>> from airmile.study import eff14
>>> figure, table = eff14.fig5("eff14")
>>> [finding.here for finding in eff14.fig5.findings(table)][-1]
'at every size'
"""

from airmile.study._exhibit import Exhibit
from airmile.study._listed import listed
from airmile.study.eff14._sources import read

__all__ = ["EXHIBITS", "read"]

EXHIBITS = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""


def __getattr__(name: str) -> Exhibit:
    """Return an exhibit by its name."""
    if name in EXHIBITS:
        return EXHIBITS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

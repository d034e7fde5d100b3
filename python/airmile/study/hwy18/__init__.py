"""Li et al., "TCP CUBIC versus BBR on the Highway", PAM 2018: the figures that need the radio.

Trials are downloads of 1 MB or more (20 MB in the paper). Each figure tells congestion controls
apart where the dataset knows them, which is in runs of the testbed.
"""

from airmile.study._exhibit import Exhibit
from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""


def __getattr__(name: str) -> Exhibit:
    """Return an exhibit by its name."""
    if name in EXHIBITS:
        return EXHIBITS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

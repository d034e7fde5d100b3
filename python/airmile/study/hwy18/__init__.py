"""Li et al., "TCP CUBIC versus BBR on the Highway", PAM 2018.

Trials are downloads of 1 MB or more (20 MB in the paper). Each figure distinguishes congestion
controls where the dataset contains them, which is in testbed runs.
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

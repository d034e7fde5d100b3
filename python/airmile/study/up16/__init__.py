"""Guo et al., "Understanding On-device Bufferbloat for Cellular Upload", IMC 2016: figures 7 and 9.

They need a capture on the phone, which stands between Qdisc and modem.
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

"""Li et al., "TCP CUBIC versus BBR on the Highway", PAM 2018.

A trial is a download of 1 MB or more (20 MB in the paper). Each figure distinguishes congestion
controls if the dataset has them, as testbed runs do.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""The exhibits by name, in the order of the paper; each is a module of this package."""

"""Li et al., "TCP CUBIC versus BBR on the Highway", PAM 2018.

Trials are downloads of 1 MB or more (20 MB in the paper). Each figure distinguishes congestion
controls where the dataset contains them, which is in testbed runs.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""By name, in the order of the paper: each module of the package is one."""

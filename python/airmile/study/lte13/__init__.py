"""Huang et al., "An In-depth Study of LTE", SIGCOMM 2013: its figures, tables and numbers.

Not reproduced: figures 1, 4, 9 and 17, which explain methods, and figures 11 and 12, which show
figure 10 for other datasets.
"""

from airmile.study._listed import listed

__all__ = ["EXHIBITS"]

EXHIBITS, __getattr__ = listed(__name__)
"""The exhibits by name, in the order of the paper; each is a module of this package."""

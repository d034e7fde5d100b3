"""Campaigns: each controlled experiment of the five papers, run, measured and held against it.

A campaign (:class:`airmile.campaign.design.Campaign`) is a file in `known`: what is run, in which
order, what is shown, and what the paper states. `requirements` checks a machine before the first
run, `conduct` makes the runs, `measured` computes what the statements ask, `rule` judges them, and
`page` and `results` write what came out.
"""

from airmile.campaign.known import find, names

__all__ = ["find", "names"]

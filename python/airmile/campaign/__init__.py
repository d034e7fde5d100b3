"""Campaigns: the controlled experiments of the five papers, repeated and compared with them.

A campaign (:class:`airmile.campaign.design.Campaign`) is a module in `known`. It lists the runs and
their order, the figures to show, and what the paper states. `requirements` checks the machine
before the first run, `conduct` makes the runs, `measured` computes the value for each statement,
`rule` judges the statements, and `page` and `results` write the outcome.
"""

from airmile.campaign.known import find, names

__all__ = ["find", "names"]

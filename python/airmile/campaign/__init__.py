"""Campaigns: the controlled experiments of the five papers, repeated and compared with them.

A campaign (:class:`airmile.campaign.design.Campaign`) is a module in `known`. It lists the runs and
their order, the figures to show, and what the paper states. Before the first run `requirements`
checks the machine, `load` measures how busy it is, and `plans` fixes which statements the seeds
decide, by what their tests `needs`. `conduct` makes the runs, in `rounds` of a seed. `measured`
computes the value for each statement, `rule` judges the statements, and `page` and `results` write
the outcome.
"""

from airmile.campaign.known import find, names

__all__ = ["find", "names"]

"""The tables that a testbed run has besides those of the analysis."""

from __future__ import annotations

from airmile.store import _trial_tables, _truth_tables
from airmile.store._descriptions import Described

TABLES: Described = {**_truth_tables.TABLES, **_trial_tables.TABLES}

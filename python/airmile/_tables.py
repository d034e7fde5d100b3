"""Names of the tables that a dataset may hold; another folder in it is none."""

from __future__ import annotations

import json
from functools import cache

ALIGNMENT = ("pairs", "clock_steps", "e5", "e5_cdf")
"""What `airmile align` writes."""


@cache
def is_table(name: str) -> bool:
    """Tell whether a folder of a dataset is a table.

    >>> is_table("flows"), is_table("truth_ttis"), is_table("plots")
    (True, True, False)
    """
    return name in _engine() or name in ALIGNMENT or name in _testbed()


@cache
def _engine() -> frozenset[str]:
    from airmile import _engine

    return frozenset(json.loads(_engine.schema())["tables"])


def _testbed() -> frozenset[str]:
    from airmile.testbed.tables import TABLES

    return frozenset(TABLES)

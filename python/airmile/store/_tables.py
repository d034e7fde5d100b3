"""The descriptions of all tables of a dataset; other folders in it are not tables."""

from __future__ import annotations

import json
from functools import cache
from typing import Any


@cache
def described() -> dict[str, Any]:
    """Return the descriptions of the tables of engine, `airmile align` and testbed, by name.

    >>> described()["pairs"]["columns"][0]["name"]
    'first_ns'
    """
    from airmile import _engine
    from airmile.store._alignment_tables import document as alignment
    from airmile.store._testbed_tables import document as testbed

    return {**json.loads(_engine.schema())["tables"], **alignment(), **testbed()}


def is_table(name: str) -> bool:
    """Return whether a folder of a dataset is a table.

    >>> is_table("flows"), is_table("truth_ttis"), is_table("plots")
    (True, True, False)
    """
    return name in described()

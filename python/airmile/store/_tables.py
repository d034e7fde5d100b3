"""The descriptions of all tables of a dataset; other folders in it are not tables."""

from __future__ import annotations

import json
from functools import cache
from typing import Any


@cache
def described() -> dict[str, Any]:
    """Return the descriptions of the tables of the engine and of other verbs, by name.

    >>> described()["pairs"]["columns"][0]["name"]
    'first_ns'
    """
    from airmile import _engine
    from airmile.store import _alignment_tables, _derived_tables, _truth_tables
    from airmile.store._descriptions import document

    return {
        **json.loads(_engine.schema())["tables"],
        **document(_alignment_tables.TABLES, "`airmile align`"),
        **document(_derived_tables.TABLES, "`airmile table`"),
        **document(_truth_tables.TABLES, "Testbed"),
    }


def is_table(name: str) -> bool:
    """Return whether a folder of a dataset is a table.

    >>> is_table("flows"), is_table("truth_ttis"), is_table("plots")
    (True, True, False)
    """
    return name in described()

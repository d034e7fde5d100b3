"""The tables that verbs write into a dataset, described; no other folder in it is a table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any


@cache
def described() -> dict[str, Any]:
    """Describe the tables of the engine, of `airmile align` and of the testbed, by name.

    >>> described()["pairs"]["columns"][0]["name"]
    'first_ns'
    """
    from airmile import _engine
    from airmile.store._alignment_tables import document as alignment
    from airmile.store._truth_tables import document as testbed

    return {**json.loads(_engine.schema())["tables"], **alignment(), **testbed()}


def is_table(name: str) -> bool:
    """Return whether a folder of a dataset is a table.

    >>> is_table("flows"), is_table("truth_ttis"), is_table("plots")
    (True, True, False)
    """
    return name in described()

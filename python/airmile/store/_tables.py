"""The descriptions of all tables of a dataset; any other folder in a dataset is no table."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

OF_SAMPLES = ("rtt_samples", "in_flight_samples", "payload_burst_samples", "slots")
"""The tables that are written only with ``--samples``."""


@cache
def described() -> dict[str, Any]:
    """Return the descriptions of all tables by name, of the engine and of Python.

    >>> described()["pairs"]["columns"][0]["name"]
    'first_ns'
    """
    from airmile import _engine
    from airmile.store import _alignment_tables, _derived_tables, _testbed_tables
    from airmile.store._descriptions import document

    return {
        **json.loads(_engine.schema())["tables"],
        **document(_alignment_tables.TABLES, "`airmile align`"),
        **document(_derived_tables.TABLES, "`airmile table`"),
        **document(_testbed_tables.TABLES, "Testbed"),
    }


def is_table(name: str) -> bool:
    """Return whether a folder of a dataset is a table.

    >>> is_table("flows"), is_table("truth_ttis"), is_table("plots")
    (True, True, False)
    """
    return name in described()

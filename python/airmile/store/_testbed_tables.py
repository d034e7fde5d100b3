"""The tables that a testbed run has in addition to those of the analysis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airmile.store import _trial_tables, _truth_tables
from airmile.store._truth_tables import Column

TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    **_truth_tables.TABLES,
    **_trial_tables.TABLES,
}


def document() -> dict[str, Any]:
    """Return the descriptions of the tables, in the form of the engine's."""
    return {
        name: {
            "doc": f"Testbed only. One row per {what}.",
            "columns": [vars(column) for column in columns],
        }
        for name, (what, columns) in TABLES.items()
    }

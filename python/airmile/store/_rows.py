"""Queries over the tables of a dataset that may lack some of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from airmile.store._needs import absent, contains, no_rows

if TYPE_CHECKING:
    from airmile.store.tables import Tables

_OF_SLICES = (
    *("uid", "transfer_id", "direction", "start_ns", "end_ns", "bytes", "cause", "cause_source"),
    "reason",
    "certainty",
    "second",
)

LENGTH_NS = "greatest(slices.end_ns - slices.start_ns, 0)"
"""SQL for the length of a slice in ns; 0 if the clock stepped back during the slice.

A negative length would reduce the sum of other slices.
"""

BIN_NS = 100_000_000
"""The length in ns of the bins at whose edges slices are cut (methods T2)."""

BIN = f"((start_ns::HUGEINT - (start_ns % {BIN_NS} + {BIN_NS}) % {BIN_NS}) // {BIN_NS})"
"""SQL for the bin in which a slice begins."""


def rows(dataset: Tables, query: str, *, of_user: bool = False) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries; set `of_user` if it contains SQL of the user."""
    return dataset.records(query, of_user=of_user)


def judged_slices(dataset: Tables) -> str:
    """Return the SQL of the slices of judged transfers, with their length as `weight`."""
    if not contains(dataset, "slices", "transfers"):
        return f"SELECT *, 0 AS weight FROM ({no_rows('slices', _OF_SLICES)})"
    return f"""SELECT slices.*, {LENGTH_NS} AS weight FROM slices
        SEMI JOIN (SELECT uid, transfer_id FROM transfers WHERE {judged(dataset)}) AS judged
        ON judged.uid = slices.uid AND judged.transfer_id = slices.transfer_id"""


def judged(dataset: Tables) -> str:
    """Return the SQL condition on `transfers` for those that are judged (methods T1).

    Transfers marked `control` are judged apart, as a class.
    """
    return f"NOT ({not_control(dataset)})" if dataset.whole is not None else not_control(dataset)


def not_control(dataset: Tables) -> str:
    """Return the SQL condition on `transfers` that excludes those marked `control` (methods T1)."""
    if absent(dataset, "transfers", ("control",)):
        return "boundary <> 'control'"
    return "NOT coalesce(control, false)"

"""Tables that are computed from the other tables of a dataset, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from airmile import mechanisms
from airmile.answers import concurrency, periodic, radio_on, time_lost
from airmile.store._alignment_tables import table as with_descriptions
from airmile.store._derived_tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables

Tail = float | Literal["auto"]

WITHOUT_TAIL: dict[str, Callable[[Tables], pa.Table]] = {
    "concurrency": concurrency.table,
    "findings": mechanisms.table,
    "periodic": periodic.table,
}
WITH_TAIL: dict[str, Callable[[Tables, Tail], pa.Table]] = {
    "radio_on": radio_on.table,
    "time_lost": time_lost.table,
}
NAMES = (*WITHOUT_TAIL, *WITH_TAIL)


def table(dataset: Tables, name: str, tail_s: Tail = radio_on.AUTO) -> pa.Table:
    """Return a table that is computed from the other tables of a dataset.

    Parameters
    ----------
    dataset : Tables
        A dataset with captures.
    name : {"concurrency", "findings", "periodic", "radio_on", "time_lost"}
        The table; `airmile schema NAME` describes its columns.
    tail_s : float or "auto"
        How long a radio stays on after a packet, in seconds, for the tables that depend on it.

    Raises
    ------
    Missing
        The dataset lacks what the table is computed from.

    Examples
    --------
    >>> import airmile as am
    >>> from airmile.answers import derived
    >>> derived.table(am.open("run.airmile"), "periodic")  # doctest: +SKIP
    """
    made = WITH_TAIL.get(name)
    rows = WITHOUT_TAIL[name](dataset) if made is None else made(dataset, tail_s)
    _, columns = TABLES[name]
    described = {column.name: rows[column.name] for column in columns}
    return with_descriptions(columns, described)

"""Rows to compare, from any source, and the columns that a comparison uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ROW = "row"
"""The unit with which each row is a sample of its own."""

ALIASES = {
    "port": ("port", "server_port"),
    "congestion_control": ("congestion_control", "cc", "control"),
    "carrier": ("carrier", "operator", "network"),
    "session": ("session", "session_id"),
    "iteration": ("iteration",),
}
"""The columns that a word of `--by` may mean; the first that exists is used."""

PAIR = "pair"
"""The unit with which all rows between one phone and one server are a sample."""

UNIT_ALIASES = {"session": "session_id"}
"""The columns of datasets that a word of `--unit` means."""

PAIRS = ("iteration",)
SERIES = ("seed", "drive", "run")
UNITS = ("seed", "drive", "subscriber", "ue", "user")
SINR = ("sinr_mean_db", "sinr_db")
HANDOVERS = ("handovers",)
RESTARTS = "restart_ratio"
"""The column with the share of a flow's idle gaps after which the sender restarted (C7)."""

WORDS = {
    "iteration": "iteration", "seed": "seed", "drive": "drive", "run": "run", "ue": "subscriber",
    "user": "subscriber", "subscriber": "subscriber", "session_id": "session", "session": "session",
    "capture": "capture", PAIR: "pair", ROW: "row",
}  # fmt: skip
"""The word for one sample, by the column that identifies samples."""


@dataclass
class Rows:
    """Rows of one source.

    Attributes
    ----------
    label : str
        The name of the source.
    values : dict of str to list
        The values of each metric, by name; None if unknown.
    group : list
        The value of each row in the column of `by`; None if unknown.
    unit : list
        What each row measures: rows with the same value are one sample.
    series : list
        The drive or seed to which each unit belongs; units of one series follow each other in time.
    word : str
        The word for a unit.
    pairs : bool
        Whether units of the same name in two groups were measured under the same conditions.
    sinr, handovers, restarts : list
        Values of each row for the pictures and for the comparison of ports; None if unknown.
    units : dict of str to str
        Unit of measurement of each metric.
    notes : list of str
        What the reader should know about the rows.
    """

    label: str
    values: dict[str, list[Any]]
    group: list[Any]
    unit: list[Any]
    series: list[Any]
    word: str
    pairs: bool
    sinr: list[Any] = field(default_factory=list)
    handovers: list[Any] = field(default_factory=list)
    restarts: list[Any] = field(default_factory=list)
    units: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """The columns to read; None means the default of the source."""

    metrics: Sequence[str] = ()
    by: str | None = None
    unit: str | None = None
    pair: str | None = None
    table: str | None = None
    where: str | None = None


def first(names: Sequence[str], there: Sequence[str]) -> str | None:
    """Return the first of some names that exists.

    >>> first(("port", "server_port"), ["uid", "server_port"])
    'server_port'
    """
    return next((name for name in names if name in there), None)


def word_of(column: str) -> str:
    """Return the word for a sample that a column identifies."""
    return WORDS.get(column, f"value of {column}")


def unit_of(name: str) -> str:
    """Return the unit that the ending of a name states.

    >>> unit_of("rate_bps"), unit_of("rate_mbps"), unit_of("delay_ms"), unit_of("stalls")
    ('bps', 'Mbps', 'ms', '')
    """
    ending = name.rpartition("_")[2]
    return _ENDINGS.get(ending, "")


_ENDINGS = {
    **{"bps": "bps", "kbps": "kbps", "mbps": "Mbps", "gbps": "Gbps", "bytes": "bytes"},
    **{"s": "s", "ms": "ms", "us": "us", "ns": "ns", "ratio": "ratio", "db": "dB", "j": "J"},
}

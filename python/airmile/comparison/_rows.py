"""Rows to be compared, whatever they were read from, and the columns that have a part in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

ROW = "row"
"""The unit that each row is for itself."""

ALIASES = {
    "port": ("port", "server_port"),
    "congestion_control": ("congestion_control", "cc", "control"),
    "carrier": ("carrier", "operator", "network"),
    "session": ("session", "session_id"),
    "iteration": ("iteration",),
}
"""Columns that a word of `--by` means, the first that there is."""

PAIRS = ("iteration",)
SERIES = ("seed", "drive", "run")
UNITS = ("seed", "drive", "subscriber", "ue", "user")
SINR = ("sinr_mean_db", "sinr_db")
HANDOVERS = ("handovers",)
RESTARTS = "restart_ratio"
"""Share of a flow's idle gaps after which its sender began anew (methods C7)."""

WORDS = {
    "iteration": "iteration", "seed": "seed", "drive": "drive", "run": "run", "ue": "subscriber",
    "user": "subscriber", "subscriber": "subscriber", "session_id": "session", ROW: "row",
}  # fmt: skip
"""What the samples are called, by the column that names them."""


@dataclass
class Rows:
    """Rows of one source.

    Attributes
    ----------
    label : str
        Name of the source.
    values : dict of str to list
        Metrics by name; None where unknown.
    group : list
        Value of the column of `by`; None where unknown.
    unit : list
        What a row is a measurement of: rows that share it are one sample.
    series : list
        The drive or seed that a unit belongs to; units of one follow each other.
    word : str
        What units are called.
    pairs : bool
        Units of two groups with the same name met the same conditions.
    sinr, handovers, restarts : list
        For pictures, and for the test of ports; None where unknown.
    units : dict of str to str
        Unit of measurement of each metric.
    notes : list of str
        What the reader should know.
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
    """Which columns are read; None is the default of the source."""

    metrics: Sequence[str] = ()
    by: str | None = None
    unit: str | None = None
    pair: str | None = None
    table: str | None = None
    where: str | None = None


def first(names: Sequence[str], there: Sequence[str]) -> str | None:
    """Return the first of some names that is there.

    >>> first(("port", "server_port"), ["uid", "server_port"])
    'server_port'
    """
    return next((name for name in names if name in there), None)


def word_of(column: str) -> str:
    """Return what samples named by a column are called."""
    return WORDS.get(column, f"value of {column}")


def unit_of(name: str) -> str:
    """Return the unit that the ending of a name gives.

    >>> unit_of("rate_bps"), unit_of("rate_mbps"), unit_of("delay_ms"), unit_of("stalls")
    ('bps', 'Mbps', 'ms', '')
    """
    ending = name.rpartition("_")[2]
    return _ENDINGS.get(ending, "")


_ENDINGS = {
    **{"bps": "bps", "kbps": "kbps", "mbps": "Mbps", "gbps": "Gbps", "bytes": "bytes"},
    **{"s": "s", "ms": "ms", "us": "us", "ns": "ns", "ratio": "ratio", "db": "dB", "j": "J"},
}

"""Groups of samples, in which rows of one unit become one value; checks of the groups."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from airmile._errors import UsageError
from airmile._words import counted, printable
from airmile.comparison._rows import Rows
from airmile.comparison.inference._arrays import Array

LABEL = "label"
"""The word of `by` with which each source is a group."""

MOST_GROUPS = 12
LONGEST_NAME = 100
SMALLEST, LARGEST = 1e-60, 1e60
"""The smallest and the largest values whose fourth power, needed by Welch's test, is a number."""

NOT_NEGATIVE = ("_bps", "_kbps", "_mbps", "_gbps", "_bytes")
FORMULA = "=+-@"
"""Characters with which a name begins that a spreadsheet would read as a formula."""

OTHER_COLUMN = "choose another column with --by"


@dataclass(frozen=True)
class Group:
    """The samples of one group in one metric.

    Attributes
    ----------
    label : str
        The name of the group.
    values : numpy.ndarray
        One value for each unit: the mean of the unit's rows.
    units : tuple
        The names of the units, in order.
    series : tuple
        The drive or seed of each unit.
    rows : int
        The number of rows with a value.
    left_out : dict of str to int
        The number of rows that were left out, by reason.
    word : str
        The word for a unit.
    pairs : bool
        Whether units of the same name in two groups were measured under the same conditions.
    emptied : frozenset
        The units that have rows but no value.
    """

    label: str
    values: Array
    units: tuple[Any, ...]
    series: tuple[Any, ...]
    rows: int
    left_out: dict[str, int]
    word: str
    pairs: bool
    emptied: frozenset[Any] = frozenset()

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.values.size

    @property
    def samples(self) -> str:
        """The number of samples in words."""
        return counted(self.n, self.word)

    def codes(self) -> NDArray[np.int64]:
        """Return the series of each sample as an integer."""
        return coded(self.series)


def coded(series: Sequence[Any]) -> NDArray[np.int64]:
    """Return an integer for each distinct value; samples without a series share one."""
    numbers = {each: number for number, each in enumerate(dict.fromkeys(series))}
    return np.array([numbers[each] for each in series], np.int64)


def split(sources: Sequence[Rows], metric: str, by: str) -> list[Group]:
    """Return the groups of a metric, in the order of their first rows.

    Raises
    ------
    UsageError
        A group has fewer than two samples; a value is negative or infinite although its metric
        cannot be; there are one or too many groups; or a group has no usable name.
    """
    named = names(sources, by)
    found = [group_of(label, sources, metric, by) for label in named]
    for group in found:
        _check(group, metric)
    return found


def names(sources: Sequence[Rows], by: str) -> list[str]:
    """Return the names of the groups."""
    if by == LABEL:
        found = [each.label for each in sources]
    else:
        every = (value for each in sources for value in each.group if value is not None)
        found = list(dict.fromkeys(map(_name, every)))
    for name in found:
        _check_name(name)
    if by != LABEL:
        found = _sorted(found)
    if len(found) > MOST_GROUPS:
        raise UsageError(
            f"{by} gives {len(found)} groups: a comparison takes at most {MOST_GROUPS}",
            OTHER_COLUMN,
        )
    if len(found) < 2:
        shown = f"only {found[0]!r}" if found else "no group"
        raise UsageError(f"{by} gives {shown}: a comparison takes two groups or more", OTHER_COLUMN)
    return found


def _name(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _sorted(found: list[str]) -> list[str]:
    """Return numbers in ascending order, and names in the order of their first rows."""
    return sorted(found, key=int) if all(each.isdecimal() for each in found) else found


def _check_name(name: str) -> None:
    shown = printable(name[:40])
    if len(name) > LONGEST_NAME:
        raise UsageError(
            f"the name of a group, {shown!r} ..., has {len(name)} characters: "
            f"at most {LONGEST_NAME}", OTHER_COLUMN,
        )  # fmt: skip
    if not name.isprintable():
        raise UsageError(f"the group {shown} has control characters in its name", _RENAME)
    if name[:1] in FORMULA or not name.strip():
        raise UsageError(f"the group {shown!r} looks like a formula, or is empty", _RENAME)


_RENAME = "rename it in the file, or give the source a --label"


def group_of(label: str, sources: Sequence[Rows], metric: str, by: str) -> Group:
    """Return the samples of one group; there may be none."""
    values: dict[Any, list[float]] = {}
    series: dict[Any, Any] = {}
    left_out: Counter[str] = Counter()
    emptied: set[Any] = set()
    for source in sources:
        for group, unit, drive, value in zip(
            source.group, source.unit, source.series, source.values[metric], strict=True
        ):
            if (source.label if by == LABEL else _name(group)) != label:
                continue
            if unit is None or value is None or (isinstance(value, float) and math.isnan(value)):
                left_out[f"of no {source.word}" if unit is None else "empty or NaN"] += 1
                emptied.add(unit)
                continue
            _check_value(value, label, metric)
            values.setdefault(unit, []).append(float(value))
            series.setdefault(unit, drive)
    order = _in_order(values, series)
    return Group(
        label, np.array([np.mean(values[unit]) for unit in order], float), tuple(order),
        tuple(series[unit] for unit in order), sum(map(len, values.values())), dict(left_out),
        sources[0].word, all(source.pairs for source in sources),
        frozenset(emptied - set(values)),
    )  # fmt: skip


def _in_order(values: Iterable[Any], series: dict[Any, Any]) -> list[Any]:
    """Return the units by series, and within a series by number; names keep the order of rows."""
    place = {each: at for at, each in enumerate(dict.fromkeys(series.values()))}
    first_row = {unit: at for at, unit in enumerate(values)}

    def key(unit: Any) -> tuple[int, int, int]:
        last = unit[-1] if isinstance(unit, tuple) else unit
        number = int(last) if str(last).isdecimal() and len(str(last)) < 19 else -1
        return place[series[unit]], number, first_row[unit]

    return sorted(first_row, key=key)


def _check_value(value: Any, label: str, metric: str) -> None:
    if isinstance(value, str):
        raise UsageError(f"{label}: {metric} is text, as {value[:40]!r}", "compare numbers")
    if math.isinf(value):
        raise UsageError(f"{label}: {metric} has an infinite value", "leave it empty, or --where")
    if value and not SMALLEST <= abs(value) <= LARGEST:
        raise UsageError(
            f"{label}: {metric} has the value {value:g}, which no measurement has",
            "check the column, or leave the cell empty",
        )
    if value < 0 and metric.endswith(NOT_NEGATIVE):
        raise UsageError(
            f"{label}: {metric} has the negative value {value:g}",
            "a rate or a size is at least 0: correct it, or leave the cell empty",
        )


def _check(group: Group, metric: str) -> None:
    if group.n == 0:
        without = sum(group.left_out.values())
        raise UsageError(
            f"{group.label}: no value of {metric}" + (f" in {without} rows" if without else ""),
            "choose another --metric, or leave the group out",
        )
    if group.n == 1:
        many = f", although it has {group.rows} rows" if group.rows > 1 else ""
        raise UsageError(
            f"{group.label}: one {group.word}, which is one sample of {metric}{many}",
            f"measure more {group.word}s, or say what a sample is: --unit COLUMN (or row)",
        )

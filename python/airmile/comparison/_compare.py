"""Compares groups of samples: the function `airmile.compare`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from airmile import _arguments, _scipy
from airmile._errors import ArgumentError, InputError, UsageError
from airmile.comparison import _csv, _datasets, _published
from airmile.comparison._difference import MEAN, MEDIAN, Difference, Needed, of_groups, of_pairs
from airmile.comparison._groups import LABEL, Group, split
from airmile.comparison._pairing import pairs
from airmile.comparison._results import Result
from airmile.comparison._rows import Rows, Wanted
from airmile.comparison.inference._arrays import LEVEL
from airmile.comparison.inference.several import holm
from airmile.comparison.result import Comparison
from airmile.store import Tables

Source: TypeAlias = "Tables | str | os.PathLike[str]"


_DIFFERENCE = "a number above or below 0, in the unit of the metric"


def compare(
    sources: Mapping[str, Source] | Source,
    *,
    metric: str | Sequence[str] = (),
    by: str | None = None,
    estimate: str = MEAN,
    baseline: str | None = None,
    pair: str | None = None,
    unit: str | None = None,
    paired: bool = True,
    drop_unmatched: bool = False,
    difference: float | None = None,
    table: str | None = None,
    where: str | None = None,
) -> Comparison:
    r"""Compare groups of measurements: how much they differ, and whether the data show it.

    Parameters
    ----------
    sources : mapping of str to dataset or path, or one of them
        Datasets and CSV files, by the label that results give them.
    metric : str or sequence of str
        The columns to compare; by default a rate.
    by : str, optional
        What distinguishes the groups: ``congestion_control``, ``port``, ``carrier``, ``session``,
        ``iteration``, any column, or ``label``, with which each source is a group. With several
        sources ``label`` is the default.
    estimate : str
        ``mean``, or ``median`` (Hodges and Lehmann); choose one before you see the data.
    baseline : str, optional
        The group with which each other one is compared; by default every two are compared.
    pair : str, optional
        The column whose equal values in two groups make a pair; by default ``iteration``.
    unit : str, optional
        The column that identifies a sample: rows with the same value become one sample. With
        ``row`` each row is a sample, with ``pair`` all rows of one phone and one server. By default
        iteration, seed, drive or subscriber; capture if all rows are of one subscriber.
    paired : bool
        Whether samples taken under the same conditions are compared in pairs.
    drop_unmatched : bool
        Whether samples without a partner are left out instead of raising an error.
    difference : float, optional
        A difference in the unit of the metric; the result says how many trials would show it.
    table : str, optional
        The table of the datasets; by default ``trials`` if there are some, else ``flows``.
    where : str, optional
        An SQL condition on the rows of this table.

    Returns
    -------
    Comparison
        Groups, differences with intervals and p-values, and sentences.

    Raises
    ------
    UsageError
        The data cannot be compared: a group is empty, has one sample or no spread, or pairs do not
        match.
    InputError
        A source cannot be read.
    OutputError
        scipy is not installed.

    Examples
    --------
    >>> import airmile
    >>> a, b = scratch / "a.csv", scratch / "b.csv"
    >>> _ = a.write_text("seed,delay_ms\n1,50\n2,61\n3,55\n4,70\n")
    >>> _ = b.write_text("seed,delay_ms\n5,30\n6,41\n7,38\n8,33\n")
    >>> comparison = airmile.compare({"A": a, "B": b}, metric="delay_ms")
    >>> comparison.results[0].difference.value
    -23.5
    """
    _scipy.special()
    if estimate not in (MEAN, MEDIAN):
        raise UsageError(f"estimate {estimate!r}", f"it is {MEAN} or {MEDIAN}")
    if difference is not None:
        difference = _arguments.finite("difference", difference, _DIFFERENCE)
        if not difference:
            raise ArgumentError("difference is 0, which no trials show", f"it is {_DIFFERENCE}")
    labelled = sources if isinstance(sources, Mapping) else {_name(sources): sources}
    groups_by = by or (LABEL if len(labelled) > 1 else "congestion_control")
    metrics = (metric,) if isinstance(metric, str) else tuple(metric)
    wanted = Wanted(metrics, None if groups_by == LABEL else groups_by, unit, pair, table, where)
    read = [_read(label, source, wanted) for label, source in labelled.items()]
    names = _metrics(read)
    groups = {name: split(read, name, groups_by) for name in names}
    found = [
        _of_two(a, b, name, read[0].units[name], estimate, paired=paired, drop=drop_unmatched)
        for name in names
        for a, b in _twos(groups[name], baseline)
    ]
    return Comparison(
        groups_by, groups, _family(found, difference),
        _middlebox(groups_by, read, estimate, paired=paired), _notes(read, groups), read,
    )  # fmt: skip


def _name(source: Source) -> str:
    path = Path(getattr(source, "path", source))
    return path.name.removesuffix(".airmile")


def _read(label: str, source: Source, wanted: Wanted) -> Rows:
    if isinstance(source, Tables):
        return _datasets.read(source, label, wanted)
    path = Path(source)
    if path.is_dir() or path.suffix == ".airmile":
        return _datasets.read(Tables(path), label, wanted)
    if not path.exists():
        raise InputError(f"{path}: no such file", _csv.TEXT)
    return _csv.read(path, label, wanted)


def _metrics(read: Sequence[Rows]) -> list[str]:
    """Return the metrics, which must be the same in all sources."""
    found = list(read[0].values)
    for other in read[1:]:
        if list(other.values) != found:
            raise UsageError(
                f"{read[0].label} has {', '.join(found)}, {other.label} "
                f"{', '.join(other.values)}", "name columns that all have: --metric",
            )  # fmt: skip
        if other.word != read[0].word:
            raise UsageError(
                f"samples of {read[0].label} are {read[0].word}s, those of {other.label} "
                f"{other.word}s", "say what a sample is: --unit COLUMN",
            )  # fmt: skip
    return found


def _twos(groups: Sequence[Group], baseline: str | None) -> list[tuple[Group, Group]]:
    if baseline is None:
        return list(combinations(groups, 2))
    first = next((each for each in groups if each.label == baseline), None)
    if first is None:
        names = ", ".join(each.label for each in groups)
        raise UsageError(f"no group {baseline!r}", f"the groups are {names}")
    return [(first, each) for each in groups if each is not first]


def _of_two(
    a: Group, b: Group, metric: str, unit: str, estimate: str, *, paired: bool, drop: bool
) -> Difference:
    found = pairs(a, b, drop_unmatched=drop) if paired else None
    if found is None:
        return of_groups(a, b, metric, unit, estimate)
    return of_pairs(a, b, found, metric, unit, estimate)


def _family(found: Sequence[Difference], wanted: float | None) -> list[Result]:
    """Return the differences with p-values that are adjusted for all of them together."""
    adjusted = holm(np.array([each.p_value for each in found]))
    size = len(found)
    return [
        Result(each, float(p), size, _needed(each, wanted, size))
        for each, p in zip(found, adjusted, strict=True)
    ]


def _needed(found: Difference, wanted: float | None, family: int) -> list[Needed]:
    """Return how many samples the given and the published difference would need."""
    named = [] if wanted is None else [(wanted, "given")]
    mean_a = float(found.a.values.mean())
    published = _published.difference(found.metric, found.a.label, found.b.label, mean_a)
    named += [] if published is None else [published]
    return [
        Needed(amount, found.needs(amount, LEVEL / family), source)
        for amount, source in named
        if amount
    ]


def _middlebox(by: str, read: Sequence[Rows], estimate: str, *, paired: bool) -> Any:
    if by != "port":
        return None
    from airmile.comparison import _middlebox

    return _middlebox.find(read, estimate, paired=paired)


def _notes(read: Sequence[Rows], groups: Mapping[str, Sequence[Group]]) -> list[str]:
    """Return notes on what was left out, and on which rows became one sample."""
    notes = [note for each in read for note in each.notes]
    for metric, every in groups.items():
        for group in every:
            notes += [
                f"{group.label}: {count} rows without {metric} left out ({reason})"
                for reason, count in group.left_out.items()
            ]
    first = next(iter(groups.values()))
    notes += [
        f"{group.label}: {group.rows} rows are {group.samples}: those of one are averaged"
        for group in first
        if group.rows > group.n
    ]
    return notes

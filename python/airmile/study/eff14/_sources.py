"""The samples in the figures: those of the given source, and EFF14's for comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from airmile._errors import UsageError
from airmile.model import PUBLISHED, Inputs
from airmile.model import read as read_inputs
from airmile.store._needs import Missing
from airmile.study._notes import with_notes
from airmile.study._source import Source

Array = NDArray[np.float64]
Rows = list[dict[str, Any]]

CAPACITY, LOADED = "capacity", "under load"
"""Words of notes that concern only figures with the model's capacity, or with loaded RTTs."""

BASELINE = "--baseline"
"""Word of a note that concerns `airmile model` only."""

TOGETHER = {"eff14": ("eff14-3.5g", "eff14-4g")}
"""Names that select several published inputs; `eff14` selects both technologies in its figures."""


@dataclass(frozen=True)
class Series:
    """One source in a figure: the given one (`own` is true), or EFF14 for comparison."""

    inputs: Inputs
    own: bool
    name: str

    def group(self, group: str) -> Array:
        """Return at least two samples that differ; errors are those of `Inputs.group`."""
        return self.inputs.group(self._held(group))

    def count(self, group: str) -> int | None:
        """Return the number of samples; None if the source has percentiles only."""
        values: Array = getattr(self.inputs, self._held(group))
        return None if self.inputs.of_percentiles and values.size else int(values.size)

    def _held(self, group: str) -> str:
        """Return the group, or that of the rates if the source has no flows."""
        return group if getattr(self.inputs, group) is not None else "rates_bps"


def read(source: Source) -> tuple[Inputs, ...]:
    """Return the inputs of a source.

    Parameters
    ----------
    source : Tables, Inputs, str or path, or a sequence of them
        An input of :func:`airmile.model.read`; ``"eff14"`` means the paper's 3.5G and 4G.

    Raises
    ------
    UsageError
        The source is none of these, or a number in a file is wrong.
    InputError
        A file or dataset cannot be read.

    Examples
    --------
    >>> [inputs.name for inputs in read("eff14")]
    ['EFF14, 3.5G', 'EFF14, 4G']
    """
    if isinstance(source, Inputs):
        return (source,)
    if isinstance(source, Sequence) and not isinstance(source, str):
        return tuple(inputs for each in source for inputs in read(each))
    names = TOGETHER.get(str(source))
    if names:
        return tuple(read_inputs(name) for name in names)
    try:
        return (read_inputs(source),)
    except UsageError as error:
        if error.hint and error.hint.startswith("the published"):
            raise UsageError(error.message, f"{error.hint}, {', '.join(TOGETHER)}") from None
        raise


def beside(source: Source, *names: str) -> list[Series]:
    """Return the series of a source, followed by the published series that it does not contain."""
    own = read(source)
    here = {inputs.name for inputs in own}
    others = [read_inputs(name) for name in names if PUBLISHED[name].title not in here]
    titles = _titles([inputs.name for inputs in (*own, *others)])
    return [
        Series(inputs, place < len(own), title)
        for place, (inputs, title) in enumerate(zip((*own, *others), titles, strict=True))
    ]


def _titles(names: Sequence[str]) -> list[str]:
    """Return the last part of each path, or the whole path if two last parts are equal.

    >>> _titles(["a/x.airmile", "b/x.airmile", "c/y.airmile"])
    ['a/x.airmile', 'b/x.airmile', 'y.airmile']
    """
    short = [Path(name).name or name for name in names]
    pairs = zip(names, short, strict=True)
    return [name if short.count(last) > 1 else last for name, last in pairs]


def tried(series: Series, make: Callable[[Series], Rows], **missing: Any) -> Rows:
    """Return the rows of a series, or a row of nulls with the reason if it lacks samples."""
    named = {"source": series.name, "own": series.own}
    try:
        return [{**named, **row} for row in make(series)]
    except Missing as lacking:
        text = lacking.message + (f" ({lacking.hint})" if lacking.hint else "")
        return [{**named, **missing, "reason": text, "missing": lacking}]


def table(
    rows: Rows,
    schema: pa.Schema,
    series: Iterable[Series],
    notes: Iterable[str],
    *,
    without: Collection[str],
) -> pa.Table:
    """Return rows as a table with notes; those of the inputs without the ones on certain words.

    Raises
    ------
    Missing
        Every series of the given source lacks samples.
    """
    lacking = [row["missing"] for row in rows if row["own"] and "missing" in row]
    if len(lacking) == sum(row["own"] for row in rows):
        raise lacking[0]
    every = (note for each in series for note in each.inputs.notes)
    others = (BASELINE, *without)
    known = [note for note in every if not any(word in note for word in others)]
    reasons = [row["reason"] for row in rows if "missing" in row]
    return with_notes(pa.Table.from_pylist(rows, schema=schema), [*known, *notes, *reasons])

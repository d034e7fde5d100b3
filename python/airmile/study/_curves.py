"""Distributions as curves, in a table whose size does not depend on that of the dataset.

A curve consists of its quantiles at every thousandth, and of the exact share of its values up to
each mark, which is a value that the paper names. Both are points of the same distribution function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from airmile._words import count
from airmile.store._needs import some

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from airmile.dataset import Dataset

STEPS = 1000
"""The number of steps between the quantiles of a curve."""

_SCHEMA = pa.schema(
    [("curve", pa.string()), ("n", pa.int64()), ("share_ratio", pa.float64()),
     ("value", pa.float64())]
)  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """One distribution of a figure.

    Attributes
    ----------
    name : str
        The name of the curve in the legend.
    values : str
        SQL with a column `value`; rows in which it is null are left out.
    marks : tuple of float
        Values up to which the exact share is computed.
    """

    name: str
    values: str
    marks: tuple[float, ...] = ()


def curves(dataset: Dataset, wanted: Iterable[Curve], lacking: str, hint: str) -> pa.Table:
    """Return the points of each curve that has values, as curve, n, share_ratio and value.

    Raises
    ------
    Missing
        No curve has values; `lacking` says what is missing and `hint` how to get it.
    """
    found = [dataset._arrow(_points(each)).cast(_SCHEMA) for each in wanted]
    return some(pa.concat_tables(found), f"{dataset.path}: {lacking}", hint)


def _points(curve: Curve) -> str:
    grid = f"[step / {STEPS}.0 FOR step IN range({STEPS + 1})]"
    marks = f"{list(curve.marks)}::DOUBLE[]"
    return f"""
        WITH own AS (SELECT value::DOUBLE AS value FROM ({curve.values}) WHERE value IS NOT NULL),
        size AS (SELECT count(*) AS n FROM own),
        quantiles AS (
            SELECT unnest({grid}) AS share_ratio, unnest(quantile_disc(value, {grid})) AS value
            FROM own),
        marks AS (
            SELECT (SELECT count(*) FROM own WHERE own.value <= mark.value) / n AS share_ratio,
                mark.value
            FROM (SELECT unnest({marks}) AS value) AS mark, size)
        SELECT '{curve.name}' AS curve, n, share_ratio, value
        FROM (FROM quantiles UNION ALL FROM marks), size WHERE n > 0
        ORDER BY share_ratio, value"""


class Points:
    """The points of one curve, from which quantiles and shares are read."""

    def __init__(self, rows: pa.Table, curve: str) -> None:
        own = rows.filter(pc.equal(rows["curve"], curve))
        self.n = int(own["n"][0].as_py()) if own.num_rows else 0
        self._shares = own["share_ratio"].to_numpy()
        self._values = own["value"].to_numpy()

    def quantile(self, share: float) -> float:
        """Return the least value that the given share of all values do not exceed."""
        return float(self._values[np.abs(self._shares - share) < 1e-9].min())

    def share_to(self, mark: float) -> float:
        """Return the share of values up to a mark; the curve must have this mark."""
        return float(self._shares[self._values == mark].max())


def names(rows: pa.Table) -> list[str]:
    """Return the names of the curves of a table, in their order."""
    return list(dict.fromkeys(rows["curve"].to_pylist()))


@dataclass(frozen=True)
class Picture:
    """Draws curves, with circles where the paper prints a point.

    Attributes
    ----------
    x : str
        Title of the x axis, with its unit.
    log : bool
        Whether the x axis is logarithmic.
    published : mapping of str to sequence
        Points (value, share) that the paper prints, by curve.
    limits : tuple of float, optional
        The ends of the paper's x axis; they are ignored if they would hide half of a curve.
    reach : tuple of float, optional
        The part of the x axis that is shown at least: the paper's axis, in the unit of the axis.
    per : float
        How many units of the table one unit of the axis is: 1e6 if bit/s are drawn in Mbps.
    """

    x: str
    log: bool = True
    published: Mapping[str, Sequence[tuple[float, float]]] | None = None
    limits: tuple[float, float] | None = None
    reach: tuple[float, float] | None = None
    per: float = 1.0

    def __call__(self, figure: Figure, rows: pa.Table) -> None:
        """Draw the curves of one dataset, each in its own colour."""
        axes = figure.subplots()
        for place, name in enumerate(names(rows)):
            self._step(axes, rows, (name, name), (place, place))
        self._finish(axes, {name: place for place, name in enumerate(names(rows))})

    def together(self, figure: Figure, tables: Mapping[str, pa.Table]) -> None:
        """Draw curves of several datasets: the colour shows the dataset, the dashes the curve."""
        axes = figure.subplots()
        curves = list(dict.fromkeys(name for rows in tables.values() for name in names(rows)))
        for colour, (label, rows) in enumerate(tables.items()):
            for name in names(rows):
                named = (name, f"{label}: {name}")
                self._step(axes, rows, named, (colour, curves.index(name)))
        self._finish(axes, dict.fromkeys(curves, len(tables)))

    def _finish(self, axes: Axes, colours: Mapping[str, int]) -> None:
        from airmile.study import _style

        printed = {
            name: points for name, points in (self.published or {}).items() if name in colours
        }
        for name, points in printed.items():
            _circles(axes, points, colours[name])
        self._scale(axes)
        axes.set_ylim(0, 1.01)
        _style.plain(axes, self.x, "share (CDF)")
        if printed:
            axes.plot([], [], "o", mfc="white", mec=_style.GREY, label="printed in the paper")
        _style.legend(axes)

    def _scale(self, axes: Axes) -> None:
        """Set the scale and the ends of the x axis; a linear axis begins at 0."""
        from airmile.study import _style

        if self.log:
            _style.log_x(axes)
        low, high = axes.get_xlim()
        least, most = self.reach or (low, high)
        ends = (min(low, least), max(high, most)) if self.log else (0, max(high, most))
        if self.limits and not _beyond(axes, self.limits[1]):
            ends = self.limits
        axes.set_xlim(ends)

    def _step(
        self, axes: Axes, rows: pa.Table, named: tuple[str, str], places: tuple[int, int]
    ) -> None:
        """Draw the curve `name` under a label; `places` selects its colour and its dashes."""
        from airmile.study import _style

        (name, label), (colour, dashes) = named, places
        own = rows.filter(pc.equal(rows["curve"], name))
        axes.plot(
            own["value"].to_numpy() / self.per, own["share_ratio"].to_numpy(),
            _style.DASHES[dashes % 4], color=_style.series(colour)[0], drawstyle="steps-post",
            linewidth=1.6, label=f"{label} (n = {count(own['n'][0].as_py())})",
        )  # fmt: skip


def _beyond(axes: Axes, end: float) -> bool:
    """Return whether more than half of a curve lies beyond the end of the paper's axis."""
    curves = (np.asarray(line.get_xdata(), float) for line in axes.get_lines())
    return any(len(x) > 1 and float(np.median(x)) > end for x in curves)


def _circles(axes: Axes, points: Sequence[tuple[float, float]], place: int) -> None:
    from airmile.study import _style

    for value, share in points:
        axes.plot(value, share, "o", mfc="white", mec=_style.series(place)[0], ms=6, zorder=4)

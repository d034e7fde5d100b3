"""Distributions as curves, in a table whose size does not depend on that of the dataset.

A curve is kept as points of its distribution function, which rises in steps: one at every
thousandth, and the exact share of its values up to each mark, a value that the paper names. The
quantiles that are quoted lie beside them (methods I4).
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

    from airmile.store import Tables

STEPS = 1000
"""Points of a curve."""

LEVELS = (0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1)
"""Quantiles that are quoted."""

POINT, QUANTILE = "point", "quantile"
"""Kinds of rows: points of the distribution function, and quantiles."""

LEAST_SHARE = 2 / STEPS
"""Share of a curve's values below which a logarithmic axis need not begin; our choice."""

_SCHEMA = pa.schema(
    [("curve", pa.string()), ("n", pa.int64()), ("kind", pa.string()),
     ("share_ratio", pa.float64()), ("value", pa.float64())]
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


def curves(dataset: Tables, wanted: Iterable[Curve], lacking: str, hint: str) -> pa.Table:
    """Return quantiles and points of each curve that has values.

    Raises
    ------
    Missing
        No curve has values; `lacking` says what is missing and `hint` how to get it.
    """
    found = [dataset.arrow(_rows(each)).cast(_SCHEMA) for each in wanted]
    return some(pa.concat_tables(found), f"{dataset.path}: {lacking}", hint)


def _rows(curve: Curve) -> str:
    levels = f"{list(LEVELS)}::DOUBLE[]"
    grid = f"[step / {STEPS}.0 FOR step IN range({STEPS + 1})]"
    marks = f"{list(curve.marks)}::DOUBLE[]"
    return f"""
        WITH own AS (SELECT value::DOUBLE AS value FROM ({curve.values}) WHERE value IS NOT NULL),
        size AS (SELECT count(*) AS n FROM own),
        quantiles AS (
            SELECT '{QUANTILE}' AS kind, unnest({levels}) AS share_ratio,
                unnest(quantile_cont(value, {levels})) AS value
            FROM own),
        points AS (
            SELECT '{POINT}' AS kind, unnest({grid}) AS share_ratio,
                unnest(quantile_disc(value, {grid})) AS value
            FROM own),
        marks AS (
            SELECT '{POINT}' AS kind,
                (SELECT count(*) FROM own WHERE own.value <= mark.value) / n AS share_ratio,
                mark.value
            FROM (SELECT unnest({marks}) AS value) AS mark, size)
        SELECT '{curve.name}' AS curve, n, kind, share_ratio, value
        FROM (FROM quantiles UNION ALL FROM points UNION ALL FROM marks), size WHERE n > 0
        ORDER BY kind = '{POINT}', share_ratio, value"""


class Points:
    """The rows of one curve, which give quantiles and shares."""

    def __init__(self, rows: pa.Table, curve: str) -> None:
        own = rows.filter(pc.equal(rows["curve"], curve))
        self.n = int(own["n"][0].as_py()) if own.num_rows else 0
        points, quantiles = (own.filter(pc.equal(own["kind"], kind)) for kind in (POINT, QUANTILE))
        self._shares = points["share_ratio"].to_numpy()
        self._values = points["value"].to_numpy()
        self._quantiles = dict(
            zip(quantiles["share_ratio"].to_pylist(), quantiles["value"].to_pylist(), strict=True)
        )

    def quantile(self, level: float) -> float:
        """Return the quantile at one of `LEVELS` (methods I4)."""
        return float(self._quantiles[level])

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
        Values of the table per unit of the axis: 1e6 where bit/s are drawn in Mbps.
    names : sequence of str
        The curves that it draws; without any, all.
    """

    x: str
    log: bool = True
    published: Mapping[str, Sequence[tuple[float, float]]] | None = None
    limits: tuple[float, float] | None = None
    reach: tuple[float, float] | None = None
    per: float = 1.0

    names: Sequence[str] = ()

    def __call__(self, figure: Figure, rows: pa.Table) -> None:
        """Draw one dataset: each curve has its colour."""
        self.on(figure.subplots(), rows)

    def together(self, figure: Figure, tables: Mapping[str, pa.Table]) -> None:
        """Draw several datasets: each has its colour, and each curve its dashes."""
        self.all_on(figure.subplots(), tables)

    def on(self, axes: Axes, rows: pa.Table) -> None:
        """Draw one dataset into a panel."""
        shown = self.shown(rows)
        for place, name in enumerate(shown):
            self._step(axes, rows, (name, name), (place, place))
        self._finish(axes, {name: place for place, name in enumerate(shown)})

    def all_on(self, axes: Axes, tables: Mapping[str, pa.Table]) -> None:
        """Draw several datasets into a panel."""
        shown = list(dict.fromkeys(name for rows in tables.values() for name in self.shown(rows)))
        for colour, (label, rows) in enumerate(tables.items()):
            for name in self.shown(rows):
                named = (name, f"{label}: {name}")
                self._step(axes, rows, named, (colour, shown.index(name)))
        self._finish(axes, dict.fromkeys(shown, len(tables)))

    def shown(self, rows: pa.Table) -> list[str]:
        """Return the curves of a table that the picture draws."""
        return [name for name in names(rows) if not self.names or name in self.names]

    def quantiles(self, rows: pa.Table) -> pa.Table:
        """Return the quantiles of the curves side by side, in the unit of the axis."""
        level = pa.array([f"{share * 100:g} %" for share in LEVELS])
        columns = {"share": level}
        for name in names(rows):
            own = Points(rows, name)
            values = [own.quantile(share) / self.per for share in LEVELS]
            columns[f"{name} (n = {count(own.n)})"] = pa.array(values)
        return pa.table(columns)

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
        # A curve that is 0 for most of its values would else lie on the axis.
        zero = -high / 100 if 0 in _medians(axes) else 0
        low = _begin(axes, low) if self.log else zero
        least, most = self.reach or (low, high)
        ends = (min(low, least), most if axes.dataLim.xmax <= most else high)
        if self.limits and not _beyond(axes, self.limits[1]):
            ends = self.limits
        axes.set_xlim(ends)

    def _step(
        self, axes: Axes, rows: pa.Table, named: tuple[str, str], places: tuple[int, int]
    ) -> None:
        """Draw the curve `name` under a label; `places` selects its colour and its dashes."""
        from airmile.study import _style

        (name, label), (colour, dashes) = named, places
        own = rows.filter(pc.and_(pc.equal(rows["curve"], name), pc.equal(rows["kind"], POINT)))
        axes.plot(
            own["value"].to_numpy() / self.per, own["share_ratio"].to_numpy(),
            _style.DASHES[dashes % 4], color=_style.series(colour)[0], drawstyle="steps-post",
            linewidth=1.6, label=f"{label} (n = {count(own['n'][0].as_py())})",
        )  # fmt: skip


def _beyond(axes: Axes, end: float) -> bool:
    """Return whether more than half of a curve lies beyond the end of the paper's axis."""
    return any(median > end for median in _medians(axes))


def _medians(axes: Axes) -> list[float]:
    """Return the medians of the curves."""
    curves = (np.asarray(line.get_xdata(), float) for line in axes.get_lines())
    return [float(np.median(x)) for x in curves if len(x) > 1]


def _begin(axes: Axes, low: float) -> float:
    """Return where curves and circles begin, but for the least values, which could fill it."""
    begins = []
    for line in axes.get_lines():
        x, share = np.asarray(line.get_xdata(), float), np.asarray(line.get_ydata(), float)
        begins += list(x[(share >= LEAST_SHARE) & (x > 0)][:1])
    return max(low, min(begins) / 1.3) if begins else low


def _circles(axes: Axes, points: Sequence[tuple[float, float]], place: int) -> None:
    from airmile.study import _style

    for value, share in points:
        axes.plot(value, share, "o", mfc="white", mec=_style.series(place)[0], ms=6, zorder=4)

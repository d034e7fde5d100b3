"""The style of the pictures: curves as steps, thresholds, legends, and distinct series."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from airmile._colours import BLACK, BLUE, GREEN, ORANGE, PURPLE, RED, SKY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure

GREY = "#777777"
SERIES = (BLUE, ORANGE, GREEN, PURPLE, RED, SKY, BLACK)
WIDE_INCHES = 9.0
"""Width of a picture that is not narrow, in inches."""

SIDE_BY_SIDE_INCHES = 2.5
"""Least width of a panel that has another panel beside it, in inches."""

ROW_INCHES = 3.2
"""Least height of each row of panels that are below each other."""

LEGEND_CHARACTERS = 130
"""Characters that fit on one line of a legend above the axes of a wide picture."""

LABEL_CHARACTERS = 100
"""Characters of the label of an axis that fit on a line below a wide picture."""

NAMES_CHARACTERS = 90
"""Characters of names that fit beside each other below the axes of a wide picture."""

_KEY_CHARACTERS = 8
"""The room, in characters, of an entry's symbol and of the space after the entry."""

DASHES = ("-", "--", "-.", ":")
MARKS = ("o", "^", "s", "D", "v", "P", "X")


def series(place: int) -> tuple[str, str]:
    """Return the colour and the marker of the series at an index; they repeat after the last."""
    return SERIES[place % len(SERIES)], MARKS[place % len(MARKS)]


def plain(axes: Axes, x: str, y: str) -> None:
    """Label both axes and draw a light grid."""
    across = int(LABEL_CHARACTERS * _width(axes.figure) * _share(axes) / WIDE_INCHES)
    axes.set_xlabel(textwrap.fill(x, max(across, 1)))
    axes.set_ylabel(y)
    axes.grid(alpha=0.25, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def log_x(axes: Axes) -> None:
    """Make the x axis logarithmic, with numbers that are easy to read: 0.1, 100, 10k, 1M."""
    axes.set_xscale("log")
    _write_plainly(axes.xaxis)


def log_y(axes: Axes) -> None:
    """Make the y axis logarithmic, with numbers that are easy to read: 0.1, 100, 10k, 1M."""
    axes.set_yscale("log")
    _write_plainly(axes.yaxis)


def _write_plainly(axis: Axis) -> None:
    """Write the numbers of a logarithmic axis without powers; show minor ones if there is room."""
    from matplotlib.ticker import EngFormatter, LogFormatter

    large = EngFormatter(sep="")

    class Plain(LogFormatter):
        def __call__(self, value: float, pos: int | None = None) -> str:
            if not super().__call__(value, pos):
                return ""
            return large(value) if value >= 1e4 else f"{value:g}"

    axis.set_major_formatter(Plain())
    axis.set_minor_formatter(Plain())


def cdf(axes: Axes, series: Iterable[tuple[str, Any, Any]]) -> None:
    """Draw cumulative distributions as steps from 0 to 1; a series is (name, values, counts)."""
    for (name, values, counts), colour, dash in zip(
        series, cycle(SERIES), cycle(DASHES), strict=False
    ):
        x, y = steps(np.asarray(values, float), np.asarray(counts, float))
        axes.plot(x, y, dash, color=colour, drawstyle="steps-post", linewidth=1.6, label=name)
    axes.set_ylim(0, 1.01)


def steps(
    values: NDArray[np.float64], counts: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of a cumulative distribution, which starts at 0.

    >>> steps(np.array([2.0, 1.0]), np.array([3.0, 1.0]))
    (array([1., 1., 2.]), array([0.  , 0.25, 1.  ]))
    """
    order = np.argsort(values, kind="stable")
    total = counts.sum()
    rising = np.cumsum(counts[order]) / total if total else counts
    return np.append(values[order][:1], values[order]), np.append(0.0, rising)


def threshold(axes: Axes, at: float, text: str) -> None:
    """Mark a value of the x axis with a dotted line and its name at the top."""
    axes.axvline(at, color=GREY, linewidth=1.0, linestyle=":")
    axes.annotate(
        text, (at, 1.0), xycoords=("data", "axes fraction"), xytext=(3, -3),
        textcoords="offset points", rotation=90, va="top", fontsize=8, color=GREY,
    )  # fmt: skip


def legend(axes: Axes, **options: Any) -> None:
    """Put the legend above the axes, where it hides no data, in as many columns as fit."""
    labels = [each.get_label() for each in options.get("handles", ())]
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False,
        ncols=columns(axes.figure, labels or axes.get_legend_handles_labels()[1], _share(axes)),
        borderaxespad=0.2, **options,
    )  # fmt: skip


def columns(figure: Figure | SubFigure, labels: Iterable[str], share: float = 1.0) -> int:
    """Return the number of columns of a legend that fit this share of a picture's width."""
    longest = max((len(label) for label in labels), default=0)
    room = LEGEND_CHARACTERS * _width(figure) * share / WIDE_INCHES
    return max(1, min(4, int(room / (longest + _KEY_CHARACTERS))))


def panels(
    figure: Figure | SubFigure,
    number: int,
    widths: Sequence[float] | None = None,
    *,
    share_y: bool = False,
) -> list[Axes]:
    """Return panels beside each other, or in two columns or one where a picture is too narrow."""
    across = min(number, max(1, int(_width(figure) / SIDE_BY_SIDE_INCHES)))
    if across == number:
        grid = figure.subplots(1, number, width_ratios=widths, sharey=share_y, squeeze=False)
        return list(grid[0])
    across = min(across, 2)
    rows = -(-number // across)
    heighten(figure, rows)
    grid = figure.subplots(rows, across, sharey=share_y, squeeze=False)
    for spare in grid.flat[number:]:
        spare.remove()
    return list(grid.flat[:number])


def heighten(figure: Figure | SubFigure, rows: int) -> None:
    """Make the picture so high that these rows of panels fit the figure, if it is not."""
    root = figure.get_figure(root=True)
    high = float(figure.bbox.height / figure.dpi)
    root.set_figheight(root.get_figheight() * max(1.0, rows * ROW_INCHES / high))


def names_below(axes: Axes, names: Sequence[str]) -> None:
    """Write a name below each of the bars or boxes at 0, 1, ..., upright where they are many."""
    lines = [max(map(len, name.splitlines()), default=0) for name in names]
    room = NAMES_CHARACTERS * _width(axes.figure) * _share(axes) / WIDE_INCHES
    fit = sum(lines) + 2 * len(lines) < room
    axes.set_xticks(range(len(names)), list(names), rotation=0 if fit else 90)


def percent_y(axes: Axes) -> None:
    """Write the shares of the y axis in percent."""
    from matplotlib.ticker import PercentFormatter

    axes.yaxis.set_major_formatter(PercentFormatter(1.0))


def is_leftmost(axes: Axes) -> bool:
    """Return whether a panel is the leftmost one, which needs a label of the y axis."""
    place = axes.get_subplotspec()
    return place is None or place.is_first_col()


def is_wide(figure: Figure | SubFigure, number: int) -> bool:
    """Return whether this number of panels fit beside each other."""
    return _width(figure) >= number * SIDE_BY_SIDE_INCHES


def _share(axes: Axes) -> float:
    """Return the part of the figure's width that the column of a panel has."""
    place = axes.get_subplotspec()
    if place is None:
        return 1.0
    widths = np.asarray(place.get_gridspec().get_width_ratios(), float)
    return float(widths[place.colspan.start : place.colspan.stop].sum() / widths.sum())


def _width(figure: Figure | SubFigure) -> float:
    return float(figure.bbox.width / figure.dpi)

"""One picture of all statements: our values over the published ones, with their intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airmile.campaign.measured import Line, published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "reproduced": "#2a7f3b", "direction only": "#a87900", "not": "#b3261e", "undecided": "#5d6670",
}  # fmt: skip

LEFT, RIGHT = -0.5, 3.25
"""The ends of the axis, as multiples of the published value; an arrow shows what lies beyond."""

LONGEST = 60
"""The number of letters from which the name of a statement is shortened in the picture."""


def draw(lines: Sequence[Line], margin: float, *, narrow: bool = False) -> Figure | None:
    """Return the picture; None if no statement has a value.

    If it is narrow, the name of each statement stands above its interval.
    """
    shown = [line for line in lines if line.found and line.statement.value]
    if not shown:
        return None
    from matplotlib.figure import Figure

    size = (4.2, 0.9 + 0.5 * len(shown)) if narrow else (9.0, 0.9 + 0.34 * len(shown))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="#8b949e", linewidth=0.8, zorder=1)
    for place, line in enumerate(shown):
        _band(axes, place, line, margin)
        _line(axes, place, line)
    names = [_name(line) for line in shown]
    if narrow:
        axes.set_yticks([])
        for place, name in enumerate(names):
            axes.annotate(name, (0, place - 0.25), xycoords=("axes fraction", "data"), fontsize=7)
    else:
        axes.set_yticks(range(len(shown)), names, fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.8 if narrow else -0.6)
    axes.set_xlim(LEFT, RIGHT)
    axes.set_xlabel("ours / published", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return figure


def _name(line: Line) -> str:
    quantity = line.statement.quantity
    short = quantity if len(quantity) <= LONGEST + 2 else f"{quantity[:LONGEST].rstrip()}…"
    return f"{short}  n = {line.found.n if line.found else 0}"


def _band(axes: Axes, place: int, line: Line, margin: float) -> None:
    """Draw the margin; if the published value is a least or a most one, it is open at one end."""
    value = line.statement.value
    assert value is not None
    low, high = sorted(_cut(each / value) for each in published(line.statement).bounds(margin))
    axes.barh(place, high - low, 1.0, low, color="#e3e7eb", zorder=0)


def _line(axes: Axes, place: int, line: Line) -> None:
    """Draw the value of one statement; a value beyond an end of the axis is drawn at that end."""
    found, statement = line.found, line.statement
    assert found is not None and statement.value is not None
    colour = COLOURS[line.outcome]
    ends = sorted(_cut(each / statement.value) for each in (found.low, found.high))
    axes.plot(ends, [place, place], color=colour, linewidth=2.2, solid_capstyle="butt", zorder=2)
    for end, mark in zip(ends, ("<", ">"), strict=True):
        if end in (LEFT, RIGHT):
            axes.plot([end], [place], marker=mark, color=colour, markersize=6, clip_on=False)
    value = found.value / statement.value
    if LEFT < value < RIGHT:
        axes.plot([value], [place], marker="o", color=colour, markersize=5.5, zorder=3)
    if statement.side and statement.no_effect is not None:
        none = statement.no_effect / statement.value
        if LEFT <= none <= RIGHT:
            axes.plot([none], [place], marker="D", markersize=5, markerfacecolor="white",
                      markeredgecolor="#1b1f24", zorder=2)  # fmt: skip


def _cut(value: float) -> float:
    return min(max(value, LEFT), RIGHT) if not math.isnan(value) else LEFT

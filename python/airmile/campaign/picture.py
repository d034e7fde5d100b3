"""One picture of all statements: our values over the published ones, with their intervals."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airmile.campaign.measured import Line
from airmile.campaign.plans import published

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "reproduced": "#2a7f3b", "direction only": "#a87900", "not": "#b3261e", "undecided": "#5d6670",
    "too few": "#9aa3ab", "set": "#4a6fa5",
}  # fmt: skip

UNTESTED = ("too few", "set")
"""Outcomes without a test: their lines are thin, and their marks hollow."""

LEFT, RIGHT = -0.5, 3.25
"""The ends of the axis, as multiples of the published value; an arrow shows what lies beyond."""

WIDE, NARROW = (9.0, 48), (4.4, 22)
"""Width of the picture in inches, and letters of a line of a name; the narrow one fits a phone."""


def drawn(line: Line) -> bool:
    """Return whether the picture has a statement: ours and the published one have a value."""
    return bool(line.found and line.statement.value)


def draw(lines: Sequence[Line], margin: float, *, narrow: bool = False) -> Figure | None:
    """Return the picture, wide or for the screen of a phone; None if it shows no statement."""
    shown = [line for line in lines if drawn(line)]
    if not shown:
        return None
    from matplotlib.figure import Figure

    width, letters = NARROW if narrow else WIDE
    names = [_name(line, letters) for line in shown]
    most = max(name.count("\n") for name in names)
    height = 0.9 + (0.34 + 0.13 * most) * len(shown)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.axvline(1, color="#8b949e", linewidth=0.8, zorder=1)
    for place, line in enumerate(shown):
        _band(axes, place, line, margin)
        _line(axes, place, line)
    axes.set_yticks(range(len(shown)), names, fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(LEFT, RIGHT)
    axes.set_xlabel("ours / published", fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8)
    return figure


def _name(line: Line, letters: int) -> str:
    n = line.found.n if line.found else 0
    return "\n".join(textwrap.wrap(f"{line.statement.quantity} (n\xa0=\xa0{n})", letters))


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
    colour, tested = COLOURS[line.outcome], line.outcome not in UNTESTED
    ends = sorted(_cut(each / statement.value) for each in (found.low, found.high))
    width = 2.2 if tested else 1.0
    axes.plot(ends, [place, place], color=colour, linewidth=width, solid_capstyle="butt", zorder=2)
    for end, mark in zip(ends, ("<", ">"), strict=True):
        if end in (LEFT, RIGHT):
            axes.plot([end], [place], marker=mark, color=colour, markersize=6, clip_on=False)
    value = found.value / statement.value
    if LEFT < value < RIGHT:
        axes.plot([value], [place], marker="o", color=colour, markersize=5.5, zorder=3,
                  markerfacecolor=colour if tested else "white")  # fmt: skip
    if statement.side and statement.no_effect is not None:
        none = statement.no_effect / statement.value
        if LEFT <= none <= RIGHT:
            axes.plot([none], [place], marker="D", markersize=5, markerfacecolor="white",
                      markeredgecolor="#1b1f24", zorder=2)  # fmt: skip


def _cut(value: float) -> float:
    return min(max(value, LEFT), RIGHT) if not math.isnan(value) else LEFT

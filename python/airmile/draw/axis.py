"""The end of an axis, and the marks of values beyond it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airmile._colours import DARK
from airmile._words import NBSP, count
from airmile.draw.series import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OUTLIER = 3.0
"""A value above the percentile times this factor is an outlier, beyond the end of the axis."""

HOUR_S = 3600.0

STEPS_S = (600, 1800, 3600, 7200, 21_600, 43_200, 86_400)
"""Distances in s between the ticks of a long picture; larger distances are whole days."""

MOST_TICKS = 9

ROOM = 1.05
"""The factor between the end of an axis and the largest value shown."""


def top_of(values: Array, quantile: float) -> float:
    """Return the end of an axis from 0: above all values, unless a few would flatten the others.

    Values of 0, which are idle periods, do not count towards the percentile.

    >>> top_of(np.array([0.0] * 98 + [1.0, 2.0]), 0.98)
    2.1
    >>> top_of(np.array([1.0] * 99 + [50.0]), 0.98)
    1.5
    """
    carrying = values[values > 0]
    if not carrying.size:
        return 1.0
    usual, most = float(np.quantile(carrying, quantile)), float(carrying.max())
    return usual * 1.5 if most > usual * OUTLIER else most * ROOM


def time(axes: Axes, length_s: float) -> None:
    """Label the axis of time: in seconds, or in hours and minutes for more than an hour."""
    if length_s <= HOUR_S:
        axes.set_xlabel("seconds since the first packet of the flow")
        return
    from matplotlib.ticker import MultipleLocator

    step = next((each for each in STEPS_S if length_s <= each * MOST_TICKS), None)
    days = math.ceil(length_s / STEPS_S[-1] / MOST_TICKS)
    axes.xaxis.set_major_locator(MultipleLocator(step or days * STEPS_S[-1]))
    axes.xaxis.set_major_formatter(lambda value, _: clock(value))
    axes.set_xlabel("hours:minutes since the first packet of the flow")


def clock(since_s: float) -> str:
    """Return a time as hours and minutes, with days from one day on.

    >>> clock(5400), clock(264_600)
    ('1:30', '3 d 1:30')
    """
    minutes = round(since_s / 60)
    days, hours = divmod(minutes // 60, 24)
    return f"{f'{days} d ' if days else ''}{hours}:{minutes % 60:02d}"


def end_at(
    axes: Axes, top: float, times: Array, values: Array, formatted: Callable[[float], str]
) -> None:
    """End an axis at `top`, and mark each value beyond it; the legend names the largest."""
    axes.set_ylim(0, top)
    beyond = values > top
    if not beyond.any():
        return
    largest = formatted(float(values[beyond].max())).replace(NBSP, " ")
    number = count(int(beyond.sum())).replace(NBSP, " ")
    axes.plot(
        times[beyond], np.full(int(beyond.sum()), top), "^", color=DARK, markersize=7,
        linestyle="none", clip_on=False, zorder=5, label=f"higher: {number}, up to {largest}",
    )  # fmt: skip

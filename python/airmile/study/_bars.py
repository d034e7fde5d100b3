"""Bar charts of a user's PRB share in each millisecond, with the bursts marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airmile._colours import BLACK
from airmile.study._radio import BEGIN_SHARE, END_SHARE
from airmile.study._style import GREY, SERIES, columns, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SHADE = "#E8E8E8"


def allocation(axes: Axes, rows: Sequence[Mapping[str, Any]], series: int = 0) -> None:
    """Draw the PRB shares of one user; bursts begin at a dashed and end at a solid line."""
    axes.bar(
        [row["ms"] for row in rows], [row["prb_share"] for row in rows], width=1.0, align="edge",
        color=SERIES[series], linewidth=0, zorder=2,
    )  # fmt: skip
    last = max(row["ms"] for row in rows) + 1.0
    ends = {(row["burst_begin_ms"], row["burst_end_ms"]) for row in rows}
    for begin, end in sorted(ends, key=str):
        if begin is None:
            continue
        axes.axvspan(begin, last if end is None else end + 1.0, color=_SHADE, zorder=0, linewidth=0)
        axes.axvline(begin, color=BLACK, linewidth=1.1, linestyle="--", zorder=3)
        if end is not None:
            # A burst ends after the millisecond in which the queue became empty.
            axes.axvline(end + 1.0, color=BLACK, linewidth=1.1, zorder=3)
    for share in (BEGIN_SHARE, END_SHARE):
        axes.axhline(share, color=GREY, linewidth=0.9, linestyle=":", zorder=3)
    plain(axes, "", "PRB share")
    axes.set_xlim(0, last)
    axes.set_ylim(0, 1.04)


def key(axes: Axes) -> None:
    """Draw the legend of the shading and the lines."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(color=_SHADE, label="burst"),
        Line2D([], [], color=BLACK, linestyle="--", label="it begins"),
        Line2D([], [], color=BLACK, label="it ends"),
        Line2D([], [], color=GREY, linestyle=":", label="thresholds, 40 % and 90 %"),
    ]
    axes.legend(
        handles=handles, loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize=8,
        ncols=columns(axes.figure, [str(each.get_label()) for each in handles]),
        frameon=False, borderaxespad=0.2,
    )  # fmt: skip

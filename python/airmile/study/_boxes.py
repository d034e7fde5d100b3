"""Box plots of a quantity, side by side for each congestion control or other group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from airmile._colours import BLACK
from airmile.study._style import SERIES, legend, names_below, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HATCHES = ("", "//", "..", "xx")


def throughput(
    axes: Axes, rows: pa.Table, column: str, places: Sequence[int], names: Sequence[str]
) -> None:
    """Draw a box per value of a column: the quartiles, and whiskers to 1.5 times their distance."""
    rates = pc.divide(rows["throughput_bps"], 1e6)
    shown = rows.append_column("mbps", rates)
    title = "throughput of the download (Mbps)"
    boxes(axes, shown, (column, "mbps"), (places, names), title)
    axes.set_ylim(bottom=0)


def boxes(
    axes: Axes,
    rows: pa.Table,
    columns: tuple[str, str],
    bins: tuple[Sequence[int], Sequence[str]],
    title: str,
    controls: Sequence[str] = (),
) -> None:
    """Draw boxes of a quantity.

    `columns` names the column of the bins and that of the quantity; `bins` has the values of the
    bins and their labels. The groups are in the order of `controls`, others in alphabetical order.
    """
    from matplotlib.patches import Patch

    (of_bin, value), (places, names) = columns, bins
    shown = rows.to_pylist()
    controls = controls or sorted({row["control"] for row in shown})
    width = 0.8 / len(controls)
    for number, control in enumerate(controls):
        for place, each in enumerate(places):
            own = [r[value] for r in shown if r["control"] == control and r[of_bin] == each]
            if own:
                at = place + (number - (len(controls) - 1) / 2) * width
                _box(axes, own, at, width, number)
    names_below(axes, names)
    axes.set_xlim(-0.6, len(places) - 0.4)
    plain(axes, "", title)
    patches = [
        Patch(
            facecolor=SERIES[n % len(SERIES)], hatch=_HATCHES[n % 4], edgecolor="white", label=each
        )
        for n, each in enumerate(controls)
    ]
    if len(controls) > 1:
        legend(axes, handles=patches)


def _box(axes: Axes, values: Sequence[float], at: float, width: float, number: int) -> None:
    parts: dict[str, Any] = axes.boxplot(
        [values], positions=[at], widths=width * 0.85, patch_artist=True, manage_ticks=False,
        medianprops={"color": BLACK, "linewidth": 1.4}, flierprops={"markersize": 3},
    )  # fmt: skip
    parts["boxes"][0].set(
        facecolor=SERIES[number % len(SERIES)], hatch=_HATCHES[number % 4], alpha=0.75
    )
    axes.annotate(
        f"n = {len(values)}", (at, max(values)), xytext=(0, 3), textcoords="offset points",
        ha="center", fontsize=7,
    )  # fmt: skip

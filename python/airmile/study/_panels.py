"""Several pictures as panels of one: of a figure with parts, and of several datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from airmile.study import _style

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure, SubFigure

    from airmile.study._curves import Picture
    from airmile.study._together import Draw

LEAST_INCHES = 4.4
"""Least width of a dataset's panel, for which the pictures of a phone's screen are made."""


@dataclass(frozen=True)
class Panels:
    """Distributions of different quantities beside each other, as the parts of a paper's figure.

    Attributes
    ----------
    pictures : sequence of Picture
        Each names the curves that it draws; one without any in the data is left out.
    """

    pictures: Sequence[Picture]

    def __call__(self, figure: Figure, rows: pa.Table) -> None:
        """Draw one dataset: each curve has its colour."""
        shown = [each for each in self.pictures if each.shown(rows)]
        for picture, axes in zip(shown, _style.panels(figure, len(shown)), strict=True):
            picture.on(axes, rows)

    def together(self, figure: Figure, tables: Mapping[str, pa.Table]) -> None:
        """Draw several datasets: each has its colour, and each curve its dashes."""
        shown = [each for each in self.pictures if any(map(each.shown, tables.values()))]
        for picture, axes in zip(shown, _style.panels(figure, len(shown)), strict=True):
            picture.all_on(axes, tables)


def one_each(figure: Figure, picture: Draw, tables: Mapping[str, pa.Table]) -> None:
    """Draw each dataset into a panel below its label, where one set of axes cannot show all."""
    wide = max(1, int(figure.get_figwidth() / LEAST_INCHES))
    across = min(wide, len(tables))
    rows = -(-len(tables) // across)
    figure.set_figheight(figure.get_figheight() * rows)
    parts = list(figure.subfigures(rows, across, squeeze=False).flat)[: len(tables)]
    for (label, table), part in zip(tables.items(), parts, strict=True):
        part.suptitle(label, x=0.012, ha="left", fontsize=10, fontweight="bold", wrap=True,
                      parse_math=False)  # fmt: skip
        # A part has all that a picture uses of a figure.
        picture(cast("Figure", part), table)
    _level(parts)


def _level(parts: Sequence[SubFigure]) -> None:
    """Give the y axes of the parts the same ends, panel by panel, so that they can be compared."""
    if len({len(part.axes) for part in parts}) > 1:
        return
    for panels in zip(*(part.axes for part in parts), strict=True):
        ends = [axes.get_ylim() for axes in panels]
        if len({axes.get_yscale() for axes in panels}) == 1 and all(
            low < high for low, high in ends
        ):
            for axes in panels:
                axes.set_ylim(min(low for low, _ in ends), max(high for _, high in ends))

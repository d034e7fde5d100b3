"""Pictures that show several datasets in one figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw: TypeAlias = "Callable[[Figure, pa.Table], None]"
DrawAll: TypeAlias = "Callable[[Figure, Mapping[str, pa.Table]], None]"


@dataclass(frozen=True)
class Together:
    """Two functions that draw: one dataset, or several datasets by their labels."""

    alone: Draw
    together: DrawAll

    def __call__(self, figure: Figure, rows: pa.Table) -> None:
        """Draw one dataset."""
        self.alone(figure, rows)


def joined(picture: Draw, column: str) -> Together:
    """Return a picture that draws several datasets like one.

    The values of `column`, which distinguish the series, then also contain the name of the dataset.
    """

    def together(figure: Figure, tables: Mapping[str, pa.Table]) -> None:
        picture(figure, pa.concat_tables(_named(each, column, n) for n, each in tables.items()))

    return Together(picture, together)


def beside_published(picture: Draw, column: str, own: str) -> Together:
    """Return a picture in which only some series are of a dataset, and the others published.

    The published series are the same in every table and are drawn once.
    """

    def together(figure: Figure, tables: Mapping[str, pa.Table]) -> None:
        owned = [
            _named(each.filter(each[own]), column, n, alone=True) for n, each in tables.items()
        ]
        first = next(iter(tables.values()))
        picture(figure, pa.concat_tables([*owned, first.filter(pc.invert(first[own]))]))

    return Together(picture, together)


def _named(rows: pa.Table, column: str, label: str, *, alone: bool = False) -> pa.Table:
    """Return rows whose `column` begins with the label of the dataset, or is only the label."""
    values = rows[column].to_pylist()
    names = [label if alone or not each else f"{label}: {each}" for each in values]
    place = rows.column_names.index(column)
    return rows.set_column(place, column, pa.array(names, pa.string()))

"""A table as columns side by side, fitted to a terminal where it is one.

What does not fit is never cut without a word: few rows are turned upright, a last column of text
is wrapped, and of more the first columns are shown with a line that says how to see the rest. In a
pipe every line is whole.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

TEXT_ROWS = 1000
"""Rows that the text form shows: more cannot be read."""

UPRIGHT_ROWS = 8
"""More rows than this are not turned upright: they would not be compared."""

NARROWEST_TEXT = 30
"""A column of text is not wrapped to less than this."""

GAP = "  "


@dataclass(frozen=True)
class Grid:
    """Cells as text, by column."""

    names: list[str]
    columns: list[list[str]]
    right: list[bool]

    @property
    def widths(self) -> list[int]:
        """Characters that each column needs."""
        return [
            max(map(len, (name, *cells)))
            for name, cells in zip(self.names, self.columns, strict=True)
        ]

    def first(self, number: int) -> Grid:
        """Keep the first columns."""
        return Grid(self.names[:number], self.columns[:number], self.right[:number])


def lines(table: pa.Table, width: int | None = None) -> Iterator[str]:
    """Write a table line by line, in at most `width` columns where that is given."""
    shown = [cells(row) for row in table.slice(0, TEXT_ROWS).to_pylist()]
    columns = [list(column) for column in zip(*shown, strict=True)] or [
        [] for _ in table.column_names
    ]
    right = [pa.types.is_integer(f.type) or pa.types.is_floating(f.type) for f in table.schema]
    grid = Grid(list(table.column_names), columns, right)
    yield from _fitted(grid, width, table.num_rows)
    if table.num_rows > TEXT_ROWS:
        yield f"... {table.num_rows - TEXT_ROWS} more rows: add LIMIT, or take --format csv"


def cells(row: dict[str, object]) -> list[str]:
    """Write the values of a row."""
    return [_shown(value) for value in row.values()]


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _fitted(grid: Grid, width: int | None, rows: int) -> Iterator[str]:
    if width is None or _needed(grid.widths) <= width:
        yield from _side_by_side(grid)
        return
    before = _needed(grid.widths[:-1]) + len(GAP)
    if not grid.right[-1] and width - before >= NARROWEST_TEXT:
        yield from _wrapped(grid, width - before)
        return
    upright = _upright(grid)
    if rows <= UPRIGHT_ROWS and _needed(upright.widths) <= width:
        yield from _side_by_side(upright)
        unknown = len(grid.names) - len(upright.columns[0])
        if unknown:
            yield f"... and {unknown} columns that are unknown (null) in every row"
        return
    fitting = _fitting(grid, width)
    yield from _side_by_side(grid.first(fitting))
    yield (
        f"... {len(grid.names) - fitting} more columns: name those you want in SELECT, turn a few "
        "rows upright with LIMIT 3, or take --format csv"
    )


def _needed(widths: list[int]) -> int:
    return sum(widths) + len(GAP) * max(len(widths) - 1, 0)


def _fitting(grid: Grid, width: int) -> int:
    """Count the columns that fit; the first is shown in any case."""
    widths = grid.widths
    number = 1
    while number < len(widths) and _needed(widths[: number + 1]) <= width:
        number += 1
    return number


def _side_by_side(grid: Grid) -> Iterator[str]:
    widths = grid.widths
    for line in (grid.names, ["-" * width for width in widths], *_rows(grid)):
        yield _joined(line, widths, grid.right)


def _rows(grid: Grid) -> list[list[str]]:
    return [list(row) for row in zip(*grid.columns, strict=True)]


def _joined(line: list[str], widths: list[int], right: list[bool]) -> str:
    padded = (
        cell.rjust(width) if number else cell.ljust(width)
        for cell, width, number in zip(line, widths, right, strict=True)
    )
    return GAP.join(padded).rstrip()


def _wrapped(grid: Grid, room: int) -> Iterator[str]:
    """Wrap the last column, which is text, beside the others."""
    widths = [*grid.widths[:-1], room]
    for line in (grid.names, ["-" * width for width in widths], *_rows(grid)):
        first, *more = textwrap.wrap(line[-1], room) or [""]
        yield _joined([*line[:-1], first], widths, grid.right)
        for text in more:
            yield _joined([*("" for _ in line[:-1]), text], widths, grid.right)


def _upright(grid: Grid) -> Grid:
    """Turn rows into columns, the names at the left; what is unknown in every row is left out."""
    kept = [(n, c) for n, c in zip(grid.names, grid.columns, strict=True) if set(c) != {"-"}]
    rows = len(grid.columns[0])
    values = [[cells[row] for _, cells in kept] for row in range(rows)]
    names = ["column", *("value" if rows == 1 else f"row {row + 1}" for row in range(rows))]
    return Grid(names, [[name for name, _ in kept], *values], [False] * (rows + 1))

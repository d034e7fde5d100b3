"""A table as text, fitted to a terminal.

Nothing is cut. Long text is folded within its column. If this is not enough, a few rows become
columns; more rows become blocks with a line for each column. Rows that are left out are counted.
Output into a pipe is not folded.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from airmile._words import printable
from airmile.render import _cells

TEXT_ROWS = 1000
"""The most rows in the text form."""
BLOCK_LINES = 2000
"""The most lines of blocks that are shown for rows which do not fit the width."""
UPRIGHT_ROWS = 8
"""The most rows that are shown as columns."""
NARROWEST_TEXT = 30
"""The least width of a folded column of text."""
NARROWEST_ROW = 20
"""The least width of a row that is shown as a column: that of an id."""

RULE = 60
"""The longest line of dashes below a name; text of a pipe may be much longer."""

GAP = "  "


@dataclass(frozen=True)
class Grid:
    """The cells of a table as text, by column; `right` marks columns of numbers, never folded."""

    names: list[str]
    columns: list[list[str]]
    right: list[bool]

    @property
    def widths(self) -> list[int]:
        """The width of each column in characters."""
        return [
            max(map(len, (name, *cells)))
            for name, cells in zip(self.names, self.columns, strict=True)
        ]

    @property
    def rows(self) -> list[list[str]]:
        """The cells by row."""
        return [list(row) for row in zip(*self.columns, strict=True)]

    def kept(self, chosen: list[bool]) -> Grid:
        """Return the chosen columns."""
        names, columns, right = (
            [value for value, keep in zip(values, chosen, strict=True) if keep]
            for values in (self.names, self.columns, self.right)
        )
        return Grid(names, columns, right)  # type: ignore[arg-type]


def lines(table: pa.Table, width: int | None = None) -> Iterator[str]:
    """Yield the lines of a table, in at most `width` columns if that is given."""
    names = [printable(name) for name in table.column_names]
    grid = Grid(
        names, columns(table.slice(0, TEXT_ROWS)), [_is_number(f.type) for f in table.schema]
    )
    yield from _fitted(grid, width, table.num_rows)


def columns(table: pa.Table) -> list[list[str]]:
    """Return the values of each column as text."""
    return [list(map(shown, column.to_pylist())) for column in _cells.with_text(table).columns]


def shown(value: object) -> str:
    """Return a value as text: a dash for an unknown one, and six digits of a fraction."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.6g}" if isinstance(value, float) else printable(str(value))


def _is_number(kind: pa.DataType) -> bool:
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    return any(is_one(kind) for is_one in numbers)


def folded(
    grid: Grid, width: int | None, narrowest: int | dict[str, int] = NARROWEST_TEXT
) -> Iterator[str] | None:
    """Return the lines of a table with folded text; None if it does not fit `width`.

    No column of text becomes narrower than `narrowest`, which may differ by column. Without a
    width, nothing is folded.
    """
    widths = grid.widths if width is None else _shared(grid, width, narrowest)
    return None if widths is None else _side_by_side(grid, widths)


def _fitted(grid: Grid, width: int | None, rows: int) -> Iterator[str]:
    whole = folded(grid, width)
    if whole is not None:
        yield from whole
        if rows > TEXT_ROWS:
            yield f"... {rows - TEXT_ROWS} more rows: add LIMIT, or use --format csv"
    else:
        yield from _standing(grid, width or 0, rows)


def _standing(grid: Grid, width: int, rows: int) -> Iterator[str]:
    """Yield lines with column names at the left, without columns that are null in every row."""
    known = [set(column) != {"-"} for column in grid.columns]
    reduced = grid.kept(known)
    upright = _upright(reduced)
    compared = folded(upright, width, NARROWEST_ROW) if rows <= UPRIGHT_ROWS else None
    yield from compared or blocks(reduced, width, rows)
    if not all(known):
        yield f"... and {known.count(False)} columns that are unknown (null) in every row"


def _upright(grid: Grid) -> Grid:
    """Return the grid with its rows as columns."""
    rows = grid.rows
    names = ["column", *("value" if len(rows) == 1 else f"row {n + 1}" for n in range(len(rows)))]
    return Grid(names, [grid.names, *rows], [False] * (len(rows) + 1))


def blocks(grid: Grid, width: int, rows: int) -> Iterator[str]:
    """Yield a block of lines for each of `rows` rows, up to about `BLOCK_LINES` lines."""
    label = max(map(len, grid.names), default=0)
    room = max(width - label - len(GAP), 1)
    written = shown = 0
    for row in grid.rows:
        if written > BLOCK_LINES:
            break
        block = [
            (name if number == 0 else "").ljust(label) + GAP + piece
            for name, cell in zip(grid.names, row, strict=True)
            for number, piece in enumerate(_wrapped(cell, room))
        ]
        yield from ([""] if shown else []) + block
        written += len(block) + 1
        shown += 1
    if rows > shown:
        more = f"... {rows - shown} more rows: name the columns you want in SELECT, add LIMIT, "
        yield from _wrapped(f"{more}or use --format csv", width)


def _shared(grid: Grid, width: int, narrowest: int | dict[str, int]) -> list[int] | None:
    """Return how the columns of text share the width, narrow ones first; None if they cannot."""
    least = narrowest if isinstance(narrowest, dict) else dict.fromkeys(grid.names, narrowest)
    widths = [
        wide if right else min(wide, least[name])
        for name, wide, right in zip(grid.names, grid.widths, grid.right, strict=True)
    ]
    room = width - sum(widths) - len(GAP) * max(len(widths) - 1, 0)
    if room < 0:
        return None
    wanted = {at: wide - widths[at] for at, wide in enumerate(grid.widths) if wide > widths[at]}
    for done, at in enumerate(sorted(wanted, key=wanted.__getitem__)):
        given = min(wanted[at], room // (len(wanted) - done))
        widths[at] += given
        room -= given
    return widths


def _side_by_side(grid: Grid, widths: list[int]) -> Iterator[str]:
    for row in (grid.names, ["-" * min(width, RULE) for width in widths], *grid.rows):
        yield from _folded_row(row, widths, grid.right)


def _folded_row(row: list[str], widths: list[int], right: list[bool]) -> Iterator[str]:
    pieces = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
    for number in range(max(map(len, pieces), default=0)):
        line = [cell[number] if number < len(cell) else "" for cell in pieces]
        padded = (
            cell.rjust(width) if number_like else cell.ljust(width)
            for cell, width, number_like in zip(line, widths, right, strict=True)
        )
        yield GAP.join(padded).rstrip()


def _wrapped(cell: str, room: int) -> list[str]:
    if len(cell) <= room:
        return [cell]
    return textwrap.wrap(cell, room, break_on_hyphens=False) or [""]

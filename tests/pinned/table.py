"""A table of scores in a CSV file, and its differences from the present scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from tests.recorded.files import read_rows, write_rows

Line: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Table:
    """One table of scores.

    Attributes
    ----------
    name : str
        The name of the file beside this module, without its ending.
    key : sequence of str
        The columns that name a line.
    values : sequence of str
        The other columns.
    reached : callable
        Computes the present lines.
    """

    name: str
    key: Sequence[str]
    values: Sequence[str]
    reached: Callable[[], Iterable[Mapping[str, Any]]]

    @property
    def path(self) -> Path:
        """The path of the recorded table."""
        return Path(__file__).parent / f"{self.name}.csv"

    def lines(self) -> list[Line]:
        """Compute the present lines, as they are written."""
        columns = (*self.key, *self.values)
        return [{column: written(row[column]) for column in columns} for row in self.reached()]

    def recorded(self) -> list[Line]:
        """Read the recorded lines; none before the first recording."""
        return list(read_rows(self.path)) if self.path.exists() else []

    def write(self, lines: Iterable[Line]) -> None:
        """Record lines."""
        write_rows(self.path, lines, (*self.key, *self.values))

    def differences(self, lines: Iterable[Line]) -> list[str]:
        """Give each line and value that differs from the recorded one."""
        return list(differences(self.key, self.recorded(), lines))


def differences(
    key: Sequence[str], recorded: Iterable[Line], reached: Iterable[Line]
) -> Iterator[str]:
    """Compare the lines of two tables by their keys.

    >>> before = [{"set": "a", "bins": "9", "recall": "0.98"}, {"set": "b", "bins": "7"}]
    >>> now = [{"set": "a", "bins": "9", "recall": "0.91"}, {"set": "c", "bins": "7"}]
    >>> list(differences(["set"], before, now))
    ['a: recall 0.98 recorded, 0.91 reached', 'b: not reached', 'c: not recorded']
    """
    old, new = _by_key(key, recorded), _by_key(key, reached)
    for name in {**old, **new}:
        if name not in new:
            yield f"{name}: not reached"
        elif name not in old:
            yield f"{name}: not recorded"
        elif changed := _changes(old[name], new[name]):
            yield f"{name}: {'; '.join(changed)}"


def _by_key(key: Sequence[str], lines: Iterable[Line]) -> dict[str, Line]:
    found: dict[str, Line] = {}
    for line in lines:
        name = ", ".join(line[column] for column in key)
        assert name not in found, f"two lines are called {name}"
        found[name] = line
    return found


def _changes(old: Line, new: Line) -> list[str]:
    return [
        f"{column} {old.get(column) or '-'} recorded, {new.get(column) or '-'} reached"
        for column in {**old, **new}
        if old.get(column) != new.get(column)
    ]


def written(value: object) -> str:
    """Write a value with four digits, and at most six decimals.

    >>> [written(value) for value in (None, 7, 123456, 0.98765, 12345.6, 0.0123456, 3e-9)]
    ['', '7', '123456', '0.9877', '12350', '0.01235', '0']
    """
    if not isinstance(value, float):
        return "" if value is None else str(value)
    rounded = round(value, 6)
    return f"{float(f'{rounded:.4g}'):.6f}".rstrip("0").rstrip(".") or "0"

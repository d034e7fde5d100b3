"""The exhibits of a paper for one or several datasets, each under its label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from airmile._errors import UsageError
from airmile.store._needs import Missing
from airmile.study import _arms
from airmile.study._arms import Group, Part
from airmile.study._exhibit import Exhibit, Finding
from airmile.study._notes import notes_of
from airmile.study._shared import Shared
from airmile.study._source import Source

if TYPE_CHECKING:
    from matplotlib.figure import Figure


COMPARING = ("hwy18",)
"""The studies whose exhibits distinguish the congestion controls of runs, which are their arms."""


@dataclass(frozen=True)
class Result:
    """One exhibit for each of several datasets.

    Attributes
    ----------
    exhibit : Exhibit
        The figure, the table, or the numbers of the text.
    tables : dict of str to pyarrow.Table
        The table of each dataset that has what the exhibit needs, by label.
    missing : dict of str to Missing
        What each other dataset lacks, by label.
    parts : mapping of str to Part
        The runs behind each label, where the arms of an experiment have labels of their own.
    """

    exhibit: Exhibit
    tables: dict[str, pa.Table]
    missing: dict[str, Missing]
    parts: Mapping[str, Part] = field(default_factory=dict)

    @property
    def several(self) -> bool:
        """Whether the exhibit was computed of several datasets, which then need their labels."""
        return len(self.tables) + len(self.missing) > 1

    @property
    def notes(self) -> list[str]:
        """The notes of all tables; with several datasets each note begins with the label."""
        return [
            f"{label}: {note}" if self.several else note
            for label, table in self.tables.items()
            for note in notes_of(table)
        ]

    def findings(self) -> list[tuple[str, dict[str, Finding]]]:
        """Return each quantity with its finding by label, in the order of the first dataset.

        What only a later dataset has follows the other findings below the same head.
        """
        found: dict[tuple[str, str, int], dict[str, Finding]] = {}
        for label, table in self.tables.items():
            for key, each in _numbered(self.exhibit.findings(table)):
                found.setdefault(key, {})[label] = each
        heads = list(dict.fromkeys(head for head, _, _ in found))
        ordered = sorted(found.items(), key=lambda each: heads.index(each[0][0]))
        return [(quantity, row) for (_, quantity, _), row in ordered]

    def figure(self, *, narrow: bool = False) -> Figure | None:
        """Draw the dataset, or all of them into one picture; None for a table of the paper."""
        if self.several and self.tables and self.exhibit.picture is not None:
            return self.exhibit.draw_together(self.tables, narrow=narrow)
        for table in self.tables.values():
            return self.exhibit.draw(table, narrow=narrow)
        return None


def _numbered(findings: Sequence[Finding]) -> Iterator[tuple[tuple[str, str, int], Finding]]:
    """Yield the findings by head and quantity, numbered, because a table may repeat a quantity.

    The head of an indented quantity is the last one that is not indented.
    """
    seen: Counter[tuple[str, str]] = Counter()
    head = ""
    for each in findings:
        head = head if each.quantity.startswith(" ") else each.quantity
        yield (head, each.quantity, seen[head, each.quantity]), each
        seen[head, each.quantity] += 1


def results(
    exhibits: Sequence[Exhibit],
    sources: Mapping[str, Source],
    options: Callable[[Exhibit], Mapping[str, Any]] = lambda _: {},
    *,
    arms: bool = False,
) -> Iterator[Result]:
    """Compute exhibits for all sources, one after the other, with shared passes over the captures.

    Parameters
    ----------
    exhibits : sequence of Exhibit
        Exhibits of one paper.
    sources : mapping of str to Tables
        The datasets by label.
    options : callable
        A function that returns the options which an exhibit accepts.
    arms : bool
        Whether the arms of runs are kept apart, each with a label of its own, by exhibits that do
        not compare runs themselves.
    """
    by_group: dict[Group | None, _Asked] = {}
    for exhibit in exhibits:
        group = _group(exhibit) if arms else None
        if group not in by_group:
            alike = [each for each in exhibits if not arms or _group(each) is group]
            by_group[group] = _Asked(_arms.parts(sources, group), alike)
        yield by_group[group].result(exhibit, options(exhibit))


def _group(exhibit: Exhibit) -> Group | None:
    """Return what runs an exhibit shows together; None for all."""
    return None if exhibit.study in COMPARING else exhibit.apart


class _Asked:
    """The parts of the sources that some exhibits are computed of, with shared passes."""

    def __init__(self, parts: dict[str, Part], exhibits: Sequence[Exhibit]) -> None:
        choices = [exhibit.chosen for exhibit in exhibits if exhibit.flows is not None]
        self._parts = parts
        self._shared = {label: Shared(part.source, choices) for label, part in parts.items()}

    def result(self, exhibit: Exhibit, options: Mapping[str, Any]) -> Result:
        """Compute an exhibit of each part."""
        tables: dict[str, pa.Table] = {}
        missing: dict[str, Missing] = {}
        for label, part in self._parts.items():
            try:
                with self._shared[label].in_use():
                    tables[label] = exhibit.table(part.source, **options)
            except Missing as lacking:
                missing[label] = lacking
        return Result(exhibit, tables, missing, self._parts)


def labels(paths: Sequence[str], given: Sequence[str]) -> list[str]:
    """Return a label for each dataset: the given one, else the shortest name that is unique.

    >>> labels(["runs/a.airmile", "b.airmile"], [])
    ['a', 'b']
    >>> labels(["x/a.airmile", "y/a.airmile"], [])
    ['x/a.airmile', 'y/a.airmile']

    Raises
    ------
    UsageError
        The numbers of labels and datasets differ, or two labels are the same.
    """
    if given and len(given) != len(paths):
        raise UsageError(
            f"{len(given)} labels for {len(paths)} datasets", "give --label once for each, or never"
        )
    names = list(given) or [path.rstrip("/").rpartition("/")[2] for path in paths]
    names = names if given else [name.removesuffix(".airmile") for name in names]
    if len(set(names)) == len(names):
        return names
    if given or len(set(paths)) < len(paths):
        raise UsageError(f"two datasets are called {_twice(names)!r}", "give each its own --label")
    return list(paths)


def _twice(names: Sequence[str]) -> str:
    return next(name for name in names if names.count(name) > 1)

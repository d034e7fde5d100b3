"""An exhibit: one figure or table of a paper, reproduced from the tables of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from airmile._errors import OutputError
from airmile.answers.verdict import _quality
from airmile.store import Tables, _files
from airmile.study import _caveats, _needs, _style
from airmile.study._arms import Group, arm_of
from airmile.study._notes import caption, notes_of, with_notes
from airmile.study._panels import one_each
from airmile.study._shared import Choose
from airmile.study._source import Source

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DOTS_PER_INCH = 120

WIDE_INCHES, NARROW_INCHES = (_style.WIDE_INCHES, 5.4), (4.4, 4.4)
"""Width and height of a picture in inches; the narrow one fits the screen of a phone."""

BURST_RULE = "bursttracker"
"""The default estimator of throughput time."""


class Finding(NamedTuple):
    """A number of an exhibit, with the number that the paper printed.

    `n` is the number of values behind it, if known; `reason` says why the number is unknown.
    """

    quantity: str
    here: str
    published: str = ""
    n: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Exhibit:
    """A figure or table of a paper; a call with a dataset returns the picture and its table.

    The exhibits of `eff14` take the inputs of :func:`airmile.study.eff14.read` instead of a
    dataset.

    Attributes
    ----------
    study : str
        Short name of the study, as ``bt19``.
    name : str
        Number of the exhibit in the paper, as ``fig4`` or ``table1``.
    section : str
        Section of the paper that has the exhibit.
    title : str
        Title of the exhibit, in our own words.
    estimators : bool
        Whether the exhibit uses throughput time, so that `estimator` may be chosen:
        ``bursttracker``, as in the paper, or ``joint``.
    burst_rule : bool
        Whether the exhibit always uses the burst rule of BT19.
    senders : bool
        Whether the exhibit uses round trips of the sender, so that `sender` may be given: a table
        of :func:`airmile.uplink.read_ss`.
    flows : callable, optional
        A function that returns `run` and `uid` of the flows whose packets `table` reads, so that
        all exhibits of a page share one pass over the capture.
    needs : Needs
        What the flows must have to count; the others are left out, and with none that counts
        the exhibit is refused.
    apart : callable or None
        What runs of an experiment are shown together, by their names: those of an arm. None if
        the exhibit compares the runs itself.
    caption : str
        What the picture shows and how to read it, for somebody who sees nothing else, with the
        definitions that it uses.
    """

    study: str
    name: str
    section: str
    title: str
    rows: Callable[..., pa.Table]
    findings: Callable[[pa.Table], list[Finding]]
    picture: Callable[[Figure, pa.Table], None] | None = None
    estimators: bool = False
    senders: bool = False
    burst_rule: bool = False
    flows: Choose | None = None
    caption: str = ""
    needs: _needs.Needs = _needs.Needs()  # noqa: RUF009  # it is frozen
    apart: Group | None = arm_of

    def __call__(self, dataset: Source, **options: Any) -> tuple[Figure | None, pa.Table]:
        """Return the picture and its table; a table of the paper has None as its picture.

        Raises
        ------
        Missing
            The dataset lacks a table, a column or rows; the message says how to get them.
        OutputError
            matplotlib is not installed.
        """
        table = self.table(dataset, **options)
        return self.draw(table), table

    def table(self, dataset: Source, **options: Any) -> pa.Table:
        """Return the table, with the caveats as notes; this needs no matplotlib."""
        counting, left_out = self._counting(dataset)
        rows = self.rows(counting, **options)
        caveats = self._caveats(dataset, options.get("estimator", BURST_RULE))
        notes = [*notes_of(rows), *left_out, *caveats]
        return with_notes(rows, notes) if notes else rows

    def chosen(self, dataset: Source) -> Sequence[Mapping[str, Any]]:
        """Return `run` and `uid` of the flows whose packets `table` reads."""
        return () if self.flows is None else self.flows(self._counting(dataset)[0])

    def _counting(self, source: Any) -> tuple[Any, list[str]]:
        """Return the source restricted to what counts, and notes about what was left out."""
        return (source, []) if self.needs == _needs.Needs() else _needs.met(source, self.needs)

    def _caveats(self, source: Source, estimator: str) -> Iterator[str]:
        if isinstance(source, Tables):
            yield from _quality.caveats(source)
            if self.estimators:
                yield from _caveats.of_estimator(source, estimator)
            elif self.burst_rule:
                yield from _caveats.of_estimator(source, BURST_RULE)

    def draw(self, table: pa.Table, *, narrow: bool = False) -> Figure | None:
        """Draw a table that `table` returned, wide or for the screen of a phone."""
        if self.picture is None:
            return None
        figure = blank(narrow=narrow)
        self.picture(figure, table)
        self._name(figure, notes_of(table))
        return figure

    def _name(self, figure: Figure, notes: Sequence[str]) -> None:
        """Write the title above a picture, and the notes below it."""
        caption(figure, notes)
        figure.suptitle(self.title, x=0.012, ha="left", fontsize=12, fontweight="bold", wrap=True)

    def draw_together(self, tables: Mapping[str, pa.Table], *, narrow: bool = False) -> Figure:
        """Draw the tables of several datasets, by label, into one picture.

        Each dataset has a colour of its own, or a panel where the colours have another meaning.

        Raises
        ------
        ValueError
            It is a table of the paper.
        """
        if self.picture is None:
            raise ValueError(f"{self.name} is a table of the paper, without a picture")
        figure = blank(narrow=narrow)
        together: Callable[[Figure, Mapping[str, pa.Table]], None] | None
        together = getattr(self.picture, "together", None)
        if together is not None:
            together(figure, tables)
        else:
            one_each(figure, self.picture, tables)
        notes = [f"{label}: {note}" for label in tables for note in notes_of(tables[label])]
        self._name(figure, notes)
        return figure

    def write(self, table: pa.Table, path: Path) -> None:
        """Draw a table to a file, whose extension sets the format."""
        figure = self.draw(table)
        if figure is not None:
            with _files.whole(path if path.suffix else path.with_name(f"{path.name}.png")) as part:
                figure.savefig(part)


def blank(*, narrow: bool = False) -> Figure:
    """Return an empty figure, wide or for the screen of a phone.

    Raises
    ------
    OutputError
        matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise OutputError(
            "pictures need matplotlib, which is not installed",
            "pip install 'airmile[study]', or print the table without it: --format csv",
        ) from None
    size = NARROW_INCHES if narrow else WIDE_INCHES
    return Figure(figsize=size, dpi=DOTS_PER_INCH, layout="constrained")

"""A comparison: its groups, its results, and their tables and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from airmile.comparison._groups import Group
from airmile.comparison._results import Result
from airmile.comparison._rows import Rows

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure

    from airmile.comparison._middlebox import Middlebox


@dataclass(frozen=True)
class Comparison:
    r"""The result of :func:`airmile.compare`.

    Attributes
    ----------
    by : str
        What distinguishes the groups: a column, or ``label``.
    groups : dict of str to list of Group
        The groups by metric.
    results : list of Result
        A result for each metric and pair of groups.
    middlebox : Middlebox or None
        What the ports show about a middlebox (methods C7); None unless ports were compared.
    notes : list of str
        What was left out, and what the numbers assume.
    sources : list of Rows
        The rows that were read, for pictures.

    Examples
    --------
    >>> import airmile
    >>> cubic, bbr = (11, 9, 14, 12, 10, 13), (14, 10, 18, 13, 14, 15)
    >>> for name, rates in (("cubic", cubic), ("bbr", bbr)):
    ...     lines = (f"{turn},{rate}" for turn, rate in enumerate(rates))
    ...     _ = (scratch / name).write_text("\n".join(["iteration,rate_mbps", *lines]))
    >>> comparison = airmile.compare({name: scratch / name for name in ("cubic", "bbr")})
    >>> print(comparison.sentences[0])
    bbr's mean rate_mbps is 2.5 Mbps higher than cubic's; 95 % interval 1.1 to 3.9 Mbps, p = 0.031:
    these 6 pairs show a difference.
    """

    by: str
    groups: dict[str, list[Group]]
    results: list[Result]
    middlebox: Middlebox | None
    notes: list[str]
    sources: Sequence[Rows] = field(repr=False)

    @property
    def sentences(self) -> list[str]:
        """One sentence for each result, and one about a middlebox if ports were compared."""
        found = [each.sentence for each in self.results]
        return found if self.middlebox is None else [*found, self.middlebox.sentence]

    @property
    def table(self) -> pa.Table:
        """The results, one per row."""
        from airmile.comparison import _tables

        return _tables.results(self.results)

    @property
    def group_table(self) -> pa.Table:
        """The groups, one per row and metric."""
        from airmile.comparison import _tables

        return _tables.groups(self.groups, self.results)

    def figures(self) -> Iterator[tuple[str, Figure]]:
        """Yield pictures with their names: distributions, boxes, and throughput against delay.

        Raises
        ------
        OutputError
            matplotlib is not installed.
        """
        from airmile.comparison import _pictures

        yield from _pictures.figures(self.groups, self.results, self.sources, self.by)

    def document(self) -> dict[str, Any]:
        """Return everything as plain Python objects, as `--format json` prints it."""
        return {
            "by": self.by,
            "groups": self.group_table.to_pylist(),
            "comparisons": self.table.to_pylist(),
            "middlebox": None if self.middlebox is None else self.middlebox.document(),
            "sentences": self.sentences,
            "notes": self.notes,
        }

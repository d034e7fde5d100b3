"""Scores recorded runs: analyses their captures and prints the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.physics import figures
from tests.physics.analysed import analysed, case_of, truth_of
from tests.physics.figures import Figure, Spans
from tests.recorded import table
from tests.recorded.files import read_rows, write_rows
from tests.recorded.runs import Run
from tests.recorded.slices import slices
from tests.recorded.tally import Tally

EVERY = "every"

NEEDED = {
    "bandwidth over 1.0 s": ("link", "queue", "flows", "competitors", "rates", "loop"),
    "timeouts of a flow": ("tail", "needless", "ack", "link", "queue"),
    "promotion delay": ("silence",),
    "no promotion": ("silence",),
    "right in the first half second": ("upload",),
    "wrong within 3 s of a change": ("loop",),
    "last wrong moment after a change": ("loop",),
}
"""The kinds that a figure is about, by their first words; other figures are about all."""


@dataclass
class Scored:
    """The tallies and figures of runs, by kind."""

    tallies: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    figures: dict[tuple[str, str], Figure] = field(default_factory=dict)

    def add(self, kind: str, truth: Spans, said: Spans, more: Iterable[tuple[str, Figure]]) -> None:
        """Add a run: its truth, its slices, and its other figures."""
        self.tallies[kind] += figures.tally(truth, said)
        for what, figure in (*figures.of_slices(truth, said), *more):
            if kind.startswith(NEEDED.get(what, "")):
                self._add(kind, what, figure)
                self._add(EVERY, what, figure)

    def _add(self, kind: str, what: str, figure: Figure) -> None:
        before = self.figures.get((kind, what))
        self.figures[kind, what] = figures.added(before, figure) if before else figure

    @property
    def every(self) -> Tally:
        """The tally of all kinds."""
        return sum(self.tallies.values(), Tally())

    def causes(self) -> list[dict[str, Any]]:
        """Give the rows of the table of causes, by kind and over all."""
        return [
            row
            for kind, tally in sorted({**self.tallies, EVERY: self.every}.items())
            for row in table.causes({"kind": kind}, tally, recall=True)
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Give the rows of the table of figures: those with any case or time."""
        every = ((kind, figures.row(what, f)) for (kind, what), f in sorted(self.figures.items()))
        return [{"kind": kind, **row} for kind, row in every if row["cases"] or row["of_s"]]


def score(found: Iterable[tuple[Run, Path]], tap: str) -> Scored:
    """Score recorded runs."""
    scored = Scored()
    for run, folder in found:
        direction, truth = truth_of(folder)
        with analysed(folder, tap) as dataset:
            said = slices(dataset, direction)
            case = case_of(folder, dataset)
            scored.add(run.kind, truth, said, figures.of_run(case, truth, said))
    return scored


def score_kept(kept: Path) -> Scored:
    """Score the selection that is kept with the project, which has only a part of the truth."""
    scored = Scored()
    for folder in sorted(kept.glob("*/")):
        kind = folder.name.partition("-")[0].replace("_", " ")
        direction, truth = truth_of(folder)
        promoted = read_rows(folder / "promotions.csv.gz")
        events = [{"time_ns": int(e["time_ns"]), "value": float(e["value"])} for e in promoted]
        with analysed(folder) as dataset:
            said = slices(dataset, direction)
            scored.add(kind, truth, said, figures.promotions(dataset, events))
    return scored


def show(scored: Scored, csv: Path | None) -> None:
    """Print the tables, and write them as CSV."""
    for name, rows, columns in (
        ("causes", scored.causes(), table.CAUSE_COLUMNS),
        ("figures", scored.rows(), figures.COLUMNS),
    ):
        for line in table.text(rows, ("kind", *columns)):
            print(line)
        print()
        if csv:
            write_rows(csv.with_name(f"{csv.name}-{name}.csv"), rows, ("kind", *columns))

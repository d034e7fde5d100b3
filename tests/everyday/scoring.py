"""Scores recorded runs: analyses their captures, whole or damaged, and prints the tables."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from airmile.testbed.record.captures import POINTS, Point
from tests.everyday import damage
from tests.everyday.analysed import Said, Vantage, analyse
from tests.everyday.kinds import HARD
from tests.everyday.waits import WAIT_COLUMNS, Waits
from tests.recorded import table
from tests.recorded.files import read_bytes, read_rows, write_rows
from tests.recorded.runs import Run
from tests.recorded.spans import Span, within
from tests.recorded.tally import Tally

FULL, EVERY = "full", "every"

Key = tuple[str, str, str]
"""The kind of capture, the kind of run, and the capture point."""

KEY_COLUMNS = ("capture", "kind", "tap")


@dataclass(frozen=True)
class Asked:
    """The captures to score.

    Attributes
    ----------
    taps : sequence of str
        The capture points.
    ways : sequence of str
        The kinds of capture: `full`, and kinds of damage.
    vantage_given : bool
        Whether airmile is given the capture point, which users rarely do.
    """

    taps: Sequence[Point] = tuple(POINTS)
    ways: Sequence[str] = (FULL,)
    vantage_given: bool = False


@dataclass
class Scored:
    """The tallies of runs, by kind of capture, kind of run and capture point."""

    tallies: defaultdict[Key, Tally] = field(default_factory=lambda: defaultdict(Tally))
    waits: defaultdict[Key, Waits] = field(default_factory=lambda: defaultdict(Waits))

    def add(self, run: Run, folder: Path, asked: Asked) -> None:
        """Add a run."""
        for tap, way in product(asked.taps, asked.ways):
            said, span = _said(folder, tap, way, given=asked.vantage_given)
            self.tallies[way, run.kind, tap] += tally_of(folder, tap, said, span, way)
            if way in (FULL, *damage.WHOLE):
                own = (row for row in read_rows(folder / "requests.csv") if row["tap"] == tap)
                self.waits[way, run.kind, tap].add(own, said)

    def causes(self) -> list[dict[str, Any]]:
        """Give the rows of the table of causes, with those over all kinds but the hard ones."""
        every: defaultdict[Key, Tally] = defaultdict(Tally)
        for (way, kind, tap), tally in self.tallies.items():
            every[way, kind, EVERY] += tally
            if kind not in HARD:
                every[way, EVERY, tap] += tally
                every[way, EVERY, EVERY] += tally
        return [
            row
            for key, tally in sorted({**self.tallies, **every}.items())
            for row in table.causes(_named(key), tally, recall=key[0] in (FULL, *damage.WHOLE))
        ]

    def lines(self) -> list[dict[str, Any]]:
        """Give the rows of the table of waits."""
        return [row for key, each in sorted(self.waits.items()) for row in each.rows(_named(key))]


def score(found: Iterable[tuple[Run, Path]], asked: Asked) -> Scored:
    """Score recorded runs."""
    scored = Scored()
    for run, folder in found:
        scored.add(run, folder, asked)
    return scored


def _said(folder: Path, tap: Point, way: str, *, given: bool) -> tuple[Said, Span | None]:
    """Analyse a capture of a run, damaged on request; give the span of what is left, too."""
    capture = next(folder.glob(f"{tap}.pcap*"))
    vantage: Vantage = tap if given else "auto"
    if way == FULL:
        return analyse(capture, vantage), None
    data, span = damage.damaged(read_bytes(capture), way, f"{folder.name}-{tap}")
    with tempfile.TemporaryDirectory(prefix="airmile-damaged-") as scratch:
        file = Path(scratch) / f"{tap}.pcap"
        file.write_bytes(data)
        return analyse(file, vantage), span


def tally_of(
    folder: Path, tap: str, said: Said, span: Span | None = None, way: str = FULL
) -> Tally:
    """Compare the slices of a capture with the truth at its point, within its span."""
    truth: defaultdict[int, list[tuple[Span, str]]] = defaultdict(list)
    for row in read_rows(next(folder.glob("truth.csv*"))):
        if row["tap"] == tap:
            own = int(row["start_ns"]), int(row["end_ns"])
            for part in within([own], span or own):
                truth[int(row["port"])].append((part, row["label"]))
    tally = Tally(claims_only=way not in (FULL, *damage.WHOLE))
    for port, spans in truth.items():
        tally.add(spans, said.slices[port])
    return tally


def show(scored: Scored, csv: Path | None, *, per_tap: bool) -> None:
    """Print the tables, per capture point or over all, and write all rows as CSV."""
    for name, rows, columns in (
        ("causes", scored.causes(), (*KEY_COLUMNS, *table.CAUSE_COLUMNS)),
        ("waits", scored.lines(), WAIT_COLUMNS),
    ):
        shown = (row for row in rows if per_tap or EVERY in (row["tap"], row["kind"]))
        for line in table.text(list(rows if name == "waits" else shown), columns):
            print(line)
        print()
        if csv:
            write_rows(csv.with_name(f"{csv.name}-{name}.csv"), rows, columns)


def _named(key: Key) -> dict[str, str]:
    return dict(zip(KEY_COLUMNS, key, strict=True))

"""Scores recorded runs: analyses their captures, and tells the tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from tests.everyday import table
from tests.everyday.analysed import Said, analyse
from tests.everyday.files import read_rows, write_rows
from tests.everyday.kinds import Run
from tests.everyday.score import Tally
from tests.everyday.spans import Span
from tests.everyday.waits import WAIT_COLUMNS, Waits

TAPS = ("ue", "monitor", "server")

FULL = "full"

Key = tuple[str, str]
"""Kind and tap."""


def tell(found: Iterable[tuple[Run, Path]], taps: Sequence[str], csv: Path | None) -> None:
    """Score the full captures of runs, print the tables, and write them as CSV."""
    tallies: defaultdict[Key, Tally] = defaultdict(Tally)
    waits: defaultdict[Key, Waits] = defaultdict(Waits)
    for run, folder in found:
        for tap in taps:
            said = analyse(folder / f"{tap}.pcap", tap)
            tallies[run.kind, tap] += tally_of(folder, tap, said)
            own = (row for row in read_rows(folder / "requests.csv") if row["tap"] == tap)
            waits[run.kind, tap].add(own, said)
    rows = [
        row
        for (kind, tap), tally in tallies.items()
        for row in table.causes(_named(FULL, kind, tap), tally, recall=True)
    ]
    rows += [
        row
        for tap in taps
        for row in table.causes(_named(FULL, "every", tap), _sum(tallies, tap), recall=True)
    ]
    lines = [row for (k, t), each in waits.items() for row in each.rows(_named(FULL, k, t))]
    show(rows, table.CAUSE_COLUMNS, csv, "causes")
    show(lines, WAIT_COLUMNS, csv, "waits")


def tally_of(folder: Path, tap: str, said: Said) -> Tally:
    """Compare the slices of a capture with the truth at its tap."""
    truth: defaultdict[int, list[tuple[Span, str]]] = defaultdict(list)
    for row in read_rows(folder / "truth.csv"):
        if row["tap"] == tap:
            span = int(row["start_ns"]), int(row["end_ns"])
            truth[int(row["port"])].append((span, row["label"]))
    tally = Tally()
    for port, spans in truth.items():
        tally.add(spans, said.slices[port])
    return tally


def show(
    rows: list[dict[str, object]], columns: tuple[str, ...], csv: Path | None, name: str
) -> None:
    """Print a table, and write it as CSV."""
    for line in table.text(rows, columns):
        print(line)
    print()
    if csv:
        write_rows(csv.with_name(f"{csv.name}-{name}.csv"), rows, columns)


def _named(capture: str, kind: str, tap: str) -> dict[str, str]:
    return {"capture": capture, "kind": kind, "tap": tap}


def _sum(tallies: dict[Key, Tally], tap: str) -> Tally:
    return sum((tally for (_, t), tally in tallies.items() if t == tap), Tally())

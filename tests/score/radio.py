"""Link demand of every set with a modem log, by each estimator, against the truth.

::

    python -m tests.score.radio [SETS_DIR]...

Truth is ACTIVE and CONTENTION milliseconds over the span. A span is a transfer (first payload byte
to its end), or all of the phone's downlink payload, first to last.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import airmile
from airmile.dataset import Dataset
from airmile.testbed.record.captures import POINTS
from airmile.testbed.scoring.link_demand import QUEUED_STATES, SHORTEST_NS
from tests.score.capture import file_of
from tests.score.clocks import held_out

SETS = Path(__file__).parent.parent / "data" / "emu"

Spans = list[tuple[int, int]]


@dataclass(frozen=True)
class Axis:
    """The milliseconds in which a condition holds, by their times."""

    times_ns: np.ndarray
    holds: np.ndarray

    def share(self, from_ns: int, to_ns: int) -> float | None:
        """Return the share of a span in which it holds; None for a span without milliseconds."""
        first, last = np.searchsorted(self.times_ns, [from_ns, to_ns])
        return float(self.holds[first:last].mean()) if last > first else None


@dataclass(frozen=True)
class Row:
    """One span of one set: the truth, and the value of each estimator."""

    name: str
    span: str
    length_s: float
    truth: float
    estimates: Mapping[str, float | None]


COLUMNS = ("bursttracker", "joint", "joint+ue", "joint+server", "joint+monitor")


def truth_of(folder: Path) -> Axis:
    """Read the milliseconds at whose end the phone's queue was not empty."""
    recorded = folder / "truth_ttis"
    if recorded.is_dir():
        dataset = airmile.open(folder)
        table = dataset.sql(
            "SELECT time_ns, state FROM truth_ttis WHERE direction = 'downlink' ORDER BY time_ns"
        )
        times, states = table["time_ns"].to_numpy(), table["state"].to_pylist()
    else:
        with gzip.open(folder / "truth_dl.csv.gz", "rt") as file:
            rows = [(_ns(row["t_unix"]), row["state"]) for row in csv.DictReader(file)]
        times, states = np.array([time for time, _ in rows]), [state for _, state in rows]
    return Axis(times, np.array([state in QUEUED_STATES for state in states]))


def rows_of(folder: Path, scratch: Path) -> Iterator[Row]:
    """Compare every span of a set."""
    log = file_of(folder, "modem.csv", "modem_dl.csv")
    if log is None:
        return
    truth = truth_of(folder)
    alone = airmile.radio(log, out=scratch / "alone.airmile")
    shown = {"bursttracker": bursts(alone, "bursttracker"), "joint": bursts(alone, "joint")}
    spans: list[tuple[str, int, int]] = []
    for tap in POINTS:
        capture = file_of(folder, f"{tap}.pcap")
        if capture is None:
            continue
        dataset = airmile.analyze(capture, modem=log, vantage=tap, out=scratch / f"{tap}.airmile")
        if answered(dataset):
            shown[f"joint+{tap}"] = bursts(dataset, "joint")
        if tap == "monitor":
            spans = [*_transfers(dataset), *_whole(dataset)]
    for name, from_ns, to_ns in spans:
        share = truth.share(from_ns, to_ns)
        if share is None or to_ns - from_ns < SHORTEST_NS:
            continue
        shares = {key: within(spans, from_ns, to_ns) for key, spans in shown.items()}
        yield Row(folder.name, name, (to_ns - from_ns) / 1e9, share, shares)


def answered(dataset: Dataset) -> bool:
    """Say whether the log and the capture were aligned."""
    users = dataset.manifest["radio"]
    return any(user["aligned"] and not user["reason"] for user in users)


def bursts(dataset: Dataset, estimator: str) -> Spans:
    """Return the spans with a queue: ACTIVE and CONTENTION, without the last millisecond."""
    table = dataset.sql(
        "SELECT start_ns, end_ns FROM bursts WHERE estimator = '" + estimator + "' ORDER BY 1"
    )
    return list(zip(table["start_ns"].to_pylist(), table["end_ns"].to_pylist(), strict=True))


def within(spans: Spans, from_ns: int, to_ns: int) -> float:
    """Return the share of a span that others cover."""
    covered = sum(max(0, min(end, to_ns) - max(start, from_ns)) for start, end in spans)
    return covered / (to_ns - from_ns)


def _transfers(dataset: Dataset) -> Iterator[tuple[str, int, int]]:
    table = dataset.sql(
        "SELECT first_byte_ns, end_ns FROM transfers WHERE direction = 'downlink' "
        "AND NOT control AND first_byte_ns IS NOT NULL ORDER BY 1"
    )
    for number, row in enumerate(table.to_pylist()):
        yield f"transfer {number}", row["first_byte_ns"], row["end_ns"]


def _whole(dataset: Dataset) -> Iterator[tuple[str, int, int]]:
    row = dataset.sql(
        "SELECT min(dl_first_payload_ns) AS first, max(dl_last_payload_ns) AS last FROM flows"
    ).to_pylist()[0]
    if row["first"] is not None:
        yield "all payload", row["first"], row["last"]


def _ns(text: str) -> int:
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int((fraction + "0" * 9)[:9])


def main() -> int:
    """Print the table, and the largest error of each estimator."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path, default=[SETS])
    parser.add_argument("--held-out", action="store_true", help="only what is held out")
    parser.add_argument("--not-held-out", action="store_true", help="only the others")
    options = parser.parse_args()
    folders: Sequence[Path] = options.folders
    sets = [path for folder in folders for path in sorted(folder.iterdir()) if path.is_dir()]
    if options.held_out or options.not_held_out:
        sets = [path for path in sets if held_out(path.name) == options.held_out]
    rows: list[Row] = []
    print(f"{'set':26} {'span':12} {'s':>7} {'truth':>6}", *(f"{c:>13}" for c in COLUMNS))
    for path in (path for path in sets if any(path.glob("modem*.csv*"))):
        with tempfile.TemporaryDirectory() as scratch:
            for row in rows_of(path, Path(scratch)):
                rows.append(row)
                print(line(row), flush=True)
    for column in COLUMNS:
        said = [(row, row.estimates.get(column)) for row in rows]
        errors = [(abs(share - row.truth), row) for row, share in said if share is not None]
        if errors:
            error, row = max(errors, key=lambda pair: pair[0])
            where = f"{row.name}, {row.span}"
            print(f"{column}: {len(errors)} spans, largest error {error:.3f} ({where})")
    return 0


def line(row: Row) -> str:
    """Write one line of the table."""
    cells = [row.estimates.get(column) for column in COLUMNS]
    words = " ".join(f"{'-' if cell is None else f'{cell:.3f}':>13}" for cell in cells)
    return f"{row.name:26} {row.span:12} {row.length_s:7.2f} {row.truth:6.3f} {words}"


if __name__ == "__main__":
    sys.exit(main())

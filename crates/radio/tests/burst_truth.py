"""Write burst_truth.csv: the true link demand of each emulated set, from its queue.

Run it from the root of the repository: `python crates/radio/tests/burst_truth.py`.
"""

import csv
import gzip
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq

SETS = Path("tests/data/emu")
TRUTH = Path("crates/radio/tests/burst_truth.csv")


def states(folder: Path) -> Iterator[tuple[int, str]]:
    """TTI and state of the downlink."""
    old = folder / "truth_dl.csv.gz"
    if old.exists():
        with gzip.open(old, "rt") as file:
            for row in csv.DictReader(file):
                yield int(row["tti"]), row["state"]
        return
    table = pq.read_table(folder / "truth_ttis", columns=["tti", "direction", "state"])
    for row in table.to_pylist():
        if row["direction"] == "downlink":
            yield row["tti"], row["state"]


def main() -> None:
    """One row per set: the span with data at the base station, and its busy milliseconds."""
    with TRUTH.open("w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["set", "from_tti", "until_tti", "busy_ms"])
        for folder in sorted(path for path in SETS.iterdir() if path.is_dir()):
            found = dict(states(folder))
            some = [tti for tti, state in found.items() if state != "UNDERFLOW"]
            busy = sum(state in ("ACTIVE", "CONTENTION") for state in found.values())
            out.writerow([folder.name, min(some), max(some) + 1, busy])
    sys.stdout.write(TRUTH.read_text())


if __name__ == "__main__":
    main()

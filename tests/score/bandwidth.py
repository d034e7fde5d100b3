"""Compare bandwidth samples with the truth of an emulated set.

::

    python -m tests.score.bandwidth TABLE SET_DIR [--source queue_evident] [--window 1.0]

``TABLE`` is the table ``bandwidth_samples`` of a dataset (its folder of Parquet parts) or a CSV
file with the same columns; ``SET_DIR`` holds ``truth_dl.csv.gz``. How they are compared:
:mod:`airmile.testbed.scoring.bandwidth`.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import sys
from pathlib import Path

import pyarrow.dataset as ds

from airmile.testbed.scoring.bandwidth import PAYLOAD_SHARE, Truth, compare

__all__ = ["PAYLOAD_SHARE", "Truth", "compare", "main", "read_samples", "read_truth"]


def read_truth(path: Path) -> Truth:
    """Read ``truth_dl.csv.gz``."""
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    busy = {"ACTIVE", "CONTENTION"}
    return Truth(
        start_s=float(rows[0]["t_unix"]),
        available_bytes=[int(row["bytes_avail_full_tti"]) for row in rows],
        queued=[int(row["q_start"]) > 0 or row["state"] in busy for row in rows],
    )


def read_samples(table: Path, source: str) -> list[tuple[float, float]]:
    """Read (UTC seconds, bits per second) of the downlink samples of one estimator, by time."""
    columns = ["direction", "source", "time_ns", "bandwidth_bps"]
    form = "parquet" if table.is_dir() else "csv"
    rows = ds.dataset(table, format=form).to_table(columns=columns).to_pylist()
    return sorted(
        (row["time_ns"] / 1e9, row["bandwidth_bps"])
        for row in rows
        if row["direction"] == "downlink" and row["source"] == source
    )


def main() -> int:
    """Print the comparison of one table with one set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("set", type=Path)
    parser.add_argument("--source", default="queue_evident", choices=["queue_evident", "c_rule"])
    parser.add_argument("--window", type=float, default=1.0, metavar="SECONDS")
    options = parser.parse_args()
    truth = read_truth(options.set / "truth_dl.csv.gz")
    samples = read_samples(options.table, options.source)
    print(f"{options.set.name}: {compare(samples, truth, options.window)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

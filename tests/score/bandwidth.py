"""Compare bandwidth samples with the truth of an emulated set.

::

    python -m tests.score.bandwidth TABLE SET_DIR [--source queue_evident] [--window 1.0]

``TABLE`` is the table ``bandwidth_samples`` of a dataset (its folder of Parquet parts) or a CSV
file with the same columns; ``SET_DIR`` holds ``truth_dl.csv.gz``. As in LTE13 section 6.2
(methods E5) a window slides over the truth in steps of a tenth of its length; each window in
which the queue was not empty for at least 80 % of the time is compared with the sample nearest
its centre, if one lies in it.
"""

from __future__ import annotations

import argparse
import bisect
import csv
import gzip
import sys
from dataclasses import dataclass
from pathlib import Path

import pyarrow.dataset as ds

#: A full segment with timestamps: 1,448 bytes of payload in 1,500 bytes of IP.
PAYLOAD_SHARE = 1448 / 1500
#: Share of a window with a queue from which on the link limits it.
LINK_LIMITED = 0.8


@dataclass(frozen=True)
class Truth:
    """Truth of one direction of a set, one value per transmission time interval of 1 ms.

    Attributes
    ----------
    start_s : float
        UTC time of the first interval in seconds.
    available_bytes : list of int
        IP bytes that the link would have carried.
    queued : list of bool
        Whether anything waited.
    """

    start_s: float
    available_bytes: list[int]
    queued: list[bool]


@dataclass(frozen=True)
class Comparison:
    """Samples against truth.

    Attributes
    ----------
    windows : int
        Windows in which the link was the limit.
    errors : tuple of float
        Relative error of each of them that has a sample.
    """

    windows: int
    errors: tuple[float, ...]

    @property
    def coverage_ratio(self) -> float:
        """Share of the windows that have a sample; nan without windows."""
        return len(self.errors) / self.windows if self.windows else float("nan")

    @property
    def mean_error_ratio(self) -> float:
        """Mean relative error; nan without samples."""
        return sum(self.errors) / len(self.errors) if self.errors else float("nan")

    def __str__(self) -> str:
        """Return one line for people."""
        return (
            f"{self.windows} link-limited windows, {self.coverage_ratio:.1%} with a sample, "
            f"mean error {self.mean_error_ratio:.1%}"
        )


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


def compare(
    samples: list[tuple[float, float]],
    truth: Truth,
    window_s: float = 1.0,
    payload_share: float = PAYLOAD_SHARE,
) -> Comparison:
    """Compare each link-limited window with the sample nearest its centre.

    Parameters
    ----------
    samples
        (UTC seconds, payload bits per second), ordered by time.
    truth
        What the link could carry.
    window_s
        Length of the sliding window; it moves by a tenth of it.
    payload_share
        Payload bytes per IP byte of a full segment.
    """
    length = round(window_s * 1000)
    times = [time for time, _ in samples]
    windows = 0
    errors = []
    for first in range(0, len(truth.queued) - length + 1, max(1, length // 10)):
        if sum(truth.queued[first : first + length]) < LINK_LIMITED * length:
            continue
        windows += 1
        begin = truth.start_s + first / 1000
        inside = samples[
            bisect.bisect_left(times, begin) : bisect.bisect_left(times, begin + window_s)
        ]
        if not inside:
            continue
        centre = begin + window_s / 2
        _, estimate = min(inside, key=lambda sample: abs(sample[0] - centre))
        available = sum(truth.available_bytes[first : first + length])
        actual = available * 8 * payload_share / window_s
        errors.append(abs(estimate - actual) / actual)
    return Comparison(windows, tuple(errors))


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
